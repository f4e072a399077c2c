#include "backend/ExecutableJson.h"

#include "tests/unit/artifact/SmallArtifact.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

using Json = nlohmann::json;

/// What reading says once `pointer` has been set to `value`.
std::string errorWith(const std::string &pointer, const Json &value) {
  Json json = toJson(smallExecutable());
  json[Json::json_pointer(pointer)] = value;
  auto read = executableFromJson(json);
  return read ? "no error" : read.error().message;
}

TEST(ExecutableJsonTest, ReadsWhatWasWritten) {
  Json json = toJson(smallExecutable());
  auto read = executableFromJson(Json::parse(json.dump()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(toJson(*read), json);
  const Attributes &attributes = read->programs[0].steps[2].attributes;
  EXPECT_EQ(attributes, smallExecutable().programs[0].steps[2].attributes);
  EXPECT_TRUE(std::holds_alternative<double>(attributes.at("one")));
  EXPECT_EQ(read->kvCache, smallExecutable().kvCache);
  EXPECT_EQ(read->constants[1].parts, smallExecutable().constants[1].parts);
}

/// Takes every key out, one at a time, and puts one more into every record.
void breakKeys(Json &whole, Json &part, std::string_view key) {
  if (part.is_object() && key != "attributes" && key != "inputs" &&
      key != "outputs") {
    const Json intact = part;
    for (const auto &[name, value] : intact.items()) {
      part.erase(name);
      EXPECT_FALSE(executableFromJson(whole)) << name << " is missing";
      part[name] = value;
    }
    part["stray"] = 1;
    EXPECT_FALSE(executableFromJson(whole)) << "stray key in " << key;
    part.erase("stray");
  }
  if (part.is_structured())
    for (auto child = part.begin(); child != part.end(); ++child)
      breakKeys(whole, *child, part.is_object() ? child.key() : key);
}

TEST(ExecutableJsonTest, RefusesMissingAndStrayKeysEverywhere) {
  Json json = toJson(smallExecutable());
  breakKeys(json, json, "");
  ASSERT_TRUE(executableFromJson(json));
}

/// Replaces every value by one of each other type.
void breakTypes(Json &whole, Json &part, std::string_view key) {
  for (const Json &other :
       {Json(), Json(true), Json("text"), Json(1.5), Json::array({Json()})}) {
    if (key == "attributes" || other.type() == part.type())
      continue;
    Json before = std::exchange(part, other);
    EXPECT_FALSE(executableFromJson(whole)) << key << " is " << other;
    part = std::move(before);
  }
  if (part.is_structured())
    for (auto child = part.begin(); child != part.end(); ++child)
      breakTypes(whole, *child,
                 part.is_array() || key == "attributes" ? key : child.key());
}

TEST(ExecutableJsonTest, RefusesOtherTypesEverywhere) {
  Json json = toJson(smallExecutable());
  breakTypes(json, json, "");
  ASSERT_TRUE(executableFromJson(json));
}

TEST(ExecutableJsonTest, NamesThePlace) {
  EXPECT_EQ(errorWith("/programs/0/values/3/shape/1", "4"),
            "programs[0].values[3].shape[1]: got \"4\", expected an integer "
            "from -9223372036854775808 to 9223372036854775807");
  EXPECT_EQ(errorWith("/programs/0/values/3/segment", "heap"),
            "programs[0].values[3].segment: got \"heap\", expected one of "
            "constant, persistent, transient, external");
  EXPECT_EQ(errorWith("/programs/1/strange\nkey", 1),
            "programs[1].\"strange\\nkey\": got a key that is unknown");
  EXPECT_EQ(errorWith("/programs/0/steps/0/attributes/x", {1, 2.5}),
            "programs[0].steps[0].attributes.x[1]: got 2.5, expected an "
            "integer from -9223372036854775808 to 9223372036854775807");
}

TEST(ExecutableJsonTest, KeepsValuesWithinTheirSegments) {
  std::string values = "/programs/0/values/";
  EXPECT_EQ(errorWith(values + "3/offset", 48), "no error");
  EXPECT_EQ(errorWith(values + "3/offset", 52),
            "programs[0].values[3].offset: got 52, expected 0 to 48");
  EXPECT_EQ(errorWith(values + "3/offset", -4),
            "programs[0].values[3].offset: got -4, expected 0 to 48");
  EXPECT_EQ(errorWith(values + "3/offset", 2),
            "programs[0].values[3].offset: got 2, expected a multiple of 4");
  EXPECT_EQ(errorWith(values + "3/shape/1", 17),
            "programs[0].values[3].row_stride: got 4, expected 17 to "
            "1125899906842624");
  EXPECT_EQ(errorWith(values + "3/shape/0", 5),
            "programs[0].values[3].shape: got 80 bytes, expected at most 64");
  EXPECT_EQ(errorWith(values + "4/row_stride", 13), "no error"); // 4 + 60 = 64
  EXPECT_EQ(errorWith(values + "4/row_stride", 14),
            "programs[0].values[4].offset: got 4, expected 0 to 0");
  EXPECT_EQ(errorWith(values + "6/offset", 25),
            "programs[0].values[6].offset: got 25, expected 0 to 24");
  EXPECT_EQ(errorWith(values + "8/offset", 1028),
            "programs[0].values[8].offset: got 1028, expected 0 to 1024");
  EXPECT_EQ(errorWith(values + "2/offset", 20),
            "programs[0].values[2].offset: got 20, expected 0 to 16");
  EXPECT_EQ(errorWith("/constants/1/offset", 1028),
            "constants[1].offset: got 1028, expected 0 to 1024");
  EXPECT_EQ(errorWith("/constants/1/parts_dim", 1),
            "constants[1].parts_dim: got 1, expected 0 to 0");
  EXPECT_EQ(errorWith("/programs/0/transient_bytes", 32),
            "programs[0].values[6].shape: got 40 bytes, expected at most 32");
}

TEST(ExecutableJsonTest, RefusesShapesThatAreNotThere) {
  std::string shape = "/programs/0/values/3/shape/";
  std::string expected = "expected positive sizes, within memory";
  EXPECT_EQ(errorWith(shape + "0", 0),
            "programs[0].values[3].shape: got [0, 4], " + expected);
  EXPECT_EQ(errorWith(shape + "0", dynamicDim),
            "programs[0].values[3].shape: got [-1, 4], " + expected);
  EXPECT_EQ(errorWith(shape + "0", INT64_MAX),
            "programs[0].values[3].shape: got [9223372036854775807, 4], " +
                expected);
  EXPECT_EQ(errorWith("/constants/0/shape", {INT64_MAX, INT64_MAX}),
            "constants[0].shape: got [9223372036854775807, "
            "9223372036854775807], " +
                expected);
  EXPECT_EQ(errorWith("/kv_cache/head_size", INT64_MAX),
            "kv_cache: got 1 layers, 2 heads of 9223372036854775807, expected "
            "positive sizes, within memory");
  EXPECT_EQ(errorWith("/kv_cache/positions", 65),
            "kv_cache.positions: got 65, expected 1 to 64");
  EXPECT_EQ(errorWith("/model/embed", 0),
            "model.embed: got 0, expected 1 to 2147483647");
}

TEST(ExecutableJsonTest, RefusesStepsThatCannotRun) {
  std::string steps = "/programs/0/steps/";
  EXPECT_EQ(errorWith(steps + "0/inputs/1", -1),
            "programs[0].steps[0].inputs: got value -1, expected one of the 9 "
            "there are");
  EXPECT_EQ(errorWith(steps + "0/inputs", Json::array()),
            "programs[0].steps[0]: got 0 inputs and 1 outputs, expected 1 or "
            "more of each");
  EXPECT_EQ(errorWith(steps + "0/outputs/0", 2),
            "programs[0].steps[0].outputs: got value 2, which is constant, "
            "expected one that may be written");
  EXPECT_EQ(errorWith(steps + "2/scratch", 7),
            "programs[0].steps[2].scratch: got value 7, expected a transient "
            "one");
  EXPECT_EQ(errorWith(steps + "2/scratch", -2),
            "programs[0].steps[2].scratch: got value -2, expected one of the 9 "
            "there are");
  EXPECT_EQ(errorWith("/programs/1/steps/0/inputs/0", 2),
            "programs[1].steps[0].inputs: got value 2, expected one that an "
            "earlier step computes");
  EXPECT_EQ(errorWith("/programs/1/steps", Json::array()),
            "programs[1].outputs.hidden: got value 2, expected one that a step "
            "computes");
}

TEST(ExecutableJsonTest, HoldsProgramsToTheSignature) {
  EXPECT_EQ(errorWith("/programs/0/rows", 2),
            "programs[0].inputs.block_tables: got i32 [1, 2], expected i32 "
            "[2, 2], densely");
  EXPECT_EQ(errorWith("/programs/0/inputs/tokens", 3),
            "programs[0].inputs.tokens: got value 3, expected an external one");
  EXPECT_EQ(errorWith("/programs/0/inputs/weather", 0),
            "programs[0].inputs: got a name that the signature does not have");
  EXPECT_EQ(errorWith("/programs/0/inputs", Json::object({{"tokens", 0}})),
            "programs[0].values[1]: got an external value that is neither "
            "input nor output");
  EXPECT_EQ(errorWith("/programs/0/values/5/shape/1", 2),
            "programs[0].values[5]: got f32 [-1, 2, 2, 2, 32, 2] at 0, "
            "expected the whole cache, f32 [-1, 1, 2, 2, 32, 2]");
  EXPECT_EQ(errorWith("/programs/1/name", "decode_1"),
            "programs[1].name: got one that an earlier program has");
}

} // namespace
} // namespace tandem
