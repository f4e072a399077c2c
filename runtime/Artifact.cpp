#include "runtime/Artifact.h"

#include "backend/ExecutableCheck.h"
#include "backend/ExecutableJson.h"
#include "backend/JsonRecord.h"
#include "runtime/ArtifactFile.h"
#include "runtime/InstructionSets.h"

namespace tandem {

/// What has to fit before the rest is looked at.
struct ArtifactOrigin {
  std::string source;
  std::vector<std::string> instructionSets;
};

template <> struct JsonRecord<ArtifactOrigin> {
  static constexpr std::tuple fields{
      JsonField{"source", &ArtifactOrigin::source},
      JsonField{"instruction_sets", &ArtifactOrigin::instructionSets},
  };
};
/// TokenizerData with its merges in one flat list, left and right in turn:
/// quicker to parse than a list for each.
struct StoredTokenizer {
  std::vector<std::string> vocabulary, merges;
  std::vector<std::pair<std::string, int32_t>> specialTokens;
};

template <> struct JsonRecord<StoredTokenizer> {
  static constexpr std::tuple fields{
      JsonField{"vocabulary", &StoredTokenizer::vocabulary},
      JsonField{"merges", &StoredTokenizer::merges},
      JsonField{"special_tokens", &StoredTokenizer::specialTokens},
  };
};
template <> struct JsonRecord<UnappliedSetting> {
  static constexpr std::tuple fields{
      JsonField{"key", &UnappliedSetting::key},
      JsonField{"value", &UnappliedSetting::value},
      JsonField{"only_sampled", &UnappliedSetting::onlySampled},
  };
};
template <> struct JsonRecord<GenerationDefaults> {
  static constexpr std::tuple fields{
      JsonField{"do_sample", &GenerationDefaults::doSample},
      JsonField{"temperature", &GenerationDefaults::temperature},
      JsonField{"top_k", &GenerationDefaults::topK},
      JsonField{"top_p", &GenerationDefaults::topP},
      JsonField{"eos_tokens", &GenerationDefaults::eosTokens},
      JsonField{"unapplied", &GenerationDefaults::unapplied},
  };
};

static constexpr std::string_view originName = "origin",
                                  programName = "program",
                                  generationName = "generation",
                                  tokenizerName = "tokenizer",
                                  moduleName = "module",
                                  constantsName = "constants";

/// 0 for a name that no section has.
static size_t alignmentOf(std::string_view name) {
  if (name == constantsName)
    return artifactPageInBytes;
  for (auto known :
       {originName, programName, generationName, tokenizerName, moduleName})
    if (name == known)
      return 64;
  return 0;
}

static std::string textOf(const JsonValue &json) {
  return json.dump(-1, ' ', false, JsonValue::error_handler_t::replace);
}

static Result<std::string> textOf(const TokenizerData &data) {
  StoredTokenizer stored{data.vocabulary, {}, data.specialTokens};
  for (const auto &[left, right] : data.merges)
    stored.merges.insert(stored.merges.end(), {left, right});
  try {
    return toJson(stored).dump();
  } catch (const JsonValue::type_error &) {
    return failure("tokenizer: got a token that is not UTF-8");
  }
}

Result<void> writeArtifact(const std::filesystem::path &path,
                           const ArtifactContents &contents,
                           std::span<const std::byte> constants) {
  const Executable &executable = contents.executable;
  if (auto checked = checkExecutable(executable); !checked)
    return failure("{}: program: {}", path.string(), checked.error().message);
  if (static_cast<int64_t>(constants.size()) != executable.constantBytes)
    return failure("{}: constants: got {} bytes, expected {}", path.string(),
                   constants.size(), executable.constantBytes);
  std::string tokenizer;
  if (contents.tokenizer) {
    auto text = textOf(*contents.tokenizer);
    if (!text)
      return failure("{}: {}", path.string(), text.error().message);
    tokenizer = std::move(*text);
  }
  std::string origin =
      textOf(toJson(ArtifactOrigin{contents.source, contents.instructionSets}));
  std::string program = textOf(toJson(executable));
  std::string generation = textOf(toJson(contents.generation));

  std::vector<Section> sections;
  auto add = [&](std::string_view name, std::span<const std::byte> bytes) {
    sections.push_back({name, bytes, alignmentOf(name)});
  };
  add(originName, std::as_bytes(std::span(origin)));
  add(programName, std::as_bytes(std::span(program)));
  add(generationName, std::as_bytes(std::span(generation)));
  if (contents.tokenizer)
    add(tokenizerName, std::as_bytes(std::span(tokenizer)));
  if (!contents.module.empty())
    add(moduleName, std::as_bytes(std::span(contents.module)));
  add(constantsName, constants);
  return writeSections(path, sections);
}

namespace {

/// Makes contents of the sections.
class ContentsReader {
public:
  explicit ContentsReader(SectionMap sections)
      : sections(std::move(sections)) {}

  Result<ArtifactContents> read() {
    ArtifactContents contents;
    auto origin = record<ArtifactOrigin>(originName);
    if (!origin)
      return std::unexpected(origin.error());
    if (auto fits = requireInstructionSets(origin->instructionSets); !fits)
      return std::unexpected(fits.error());
    contents.source = std::move(origin->source);
    contents.instructionSets = std::move(origin->instructionSets);

    auto program = read(programName, executableFromJson);
    if (!program)
      return std::unexpected(program.error());
    contents.executable = std::move(*program);
    auto generation = record<GenerationDefaults>(generationName);
    if (!generation)
      return std::unexpected(generation.error());
    contents.generation = std::move(*generation);
    if (sections.contains(tokenizerName)) {
      auto tokenizer = readTokenizer();
      if (!tokenizer)
        return std::unexpected(tokenizer.error());
      contents.tokenizer = std::move(*tokenizer);
    }
    contents.module = text(moduleName);
    return contents;
  }

private:
  Result<TokenizerData> readTokenizer() const {
    auto stored = record<StoredTokenizer>(tokenizerName);
    if (!stored)
      return std::unexpected(stored.error());
    std::vector<std::string> &flat = stored->merges;
    if (flat.size() % 2 != 0)
      return failure("tokenizer: merges: got {} tokens, expected pairs",
                     flat.size());
    TokenizerData data{
        std::move(stored->vocabulary), {}, std::move(stored->specialTokens)};
    data.merges.reserve(flat.size() / 2);
    for (size_t i = 0; i < flat.size(); i += 2)
      data.merges.emplace_back(std::move(flat[i]), std::move(flat[i + 1]));
    return data;
  }

  std::string_view text(std::string_view name) const {
    auto found = sections.find(name);
    if (found == sections.end())
      return {};
    return {reinterpret_cast<const char *>(found->second.data()),
            found->second.size()};
  }

  Result<JsonValue> json(std::string_view name) const {
    if (!sections.contains(name))
      return failure("got no such section, expected one");
    return parseRecord(text(name));
  }

  template <typename T>
  Result<T> read(std::string_view name,
                 Result<T> (*fromJson)(const JsonValue &)) const {
    auto parsed = json(name);
    if (!parsed)
      return failure("{}: {}", name, parsed.error().message);
    auto value = fromJson(*parsed);
    if (!value)
      return failure("{}: {}", name, value.error().message);
    return value;
  }

  template <typename T> Result<T> record(std::string_view name) const {
    return read<T>(name, fromJson<T>);
  }

  SectionMap sections;
};

} // namespace

Result<LoadedArtifact> readArtifact(const std::filesystem::path &path) {
  auto file = MappedFile::open(path);
  if (!file)
    return std::unexpected(file.error());
  auto bytes = (*file)->bytes();
  auto sections = readSections(bytes, alignmentOf);
  if (!sections)
    return failure("{}: {}", path.string(), sections.error().message);
  auto contents = ContentsReader(*sections).read();
  if (!contents)
    return failure("{}: {}", path.string(), contents.error().message);
  auto constants = sections->find(constantsName);
  int64_t expected = contents->executable.constantBytes;
  if (constants == sections->end() ||
      static_cast<int64_t>(constants->second.size()) != expected)
    return failure("{}: constants: got another size than the {} bytes that the "
                   "program expects",
                   path.string(), expected);
  int64_t offset = constants->second.data() - bytes.data();
  return LoadedArtifact{std::move(*contents), std::move(*file), offset};
}

} // namespace tandem
