#include "runtime/Artifact.h"

#include "backend/ExecutableCheck.h"
#include "backend/ExecutableJson.h"
#include "backend/JsonRecord.h"
#include "runtime/ArtifactFile.h"
#include "runtime/Session.h"
#include "runtime/TokenizerSection.h"

#include <future>

namespace tandem {

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

Result<void> writeArtifact(const std::filesystem::path &path,
                           const ArtifactContents &contents,
                           const ConstantsSource &constants) {
  const Executable &executable = contents.executable;
  if (auto checked = checkExecutable(executable); !checked)
    return failure("{}: program: {}", path.string(), checked.error().message);
  std::vector<std::byte> tokenizer;
  if (contents.tokenizer) {
    auto made = tokenizerSection(*contents.tokenizer);
    if (!made)
      return failure("{}: tokenizer: {}", path.string(), made.error().message);
    tokenizer = std::move(*made);
  }
  std::string origin = textOf(toJson(contents.origin));
  std::string program = textOf(toJson(executable));
  std::string generation = textOf(toJson(contents.generation));

  std::vector<Section> sections;
  auto add = [&](std::string_view name, std::span<const std::byte> bytes) {
    sections.push_back(sectionOf(name, bytes, alignmentOf(name)));
  };
  add(originName, std::as_bytes(std::span(origin)));
  add(programName, std::as_bytes(std::span(program)));
  add(generationName, std::as_bytes(std::span(generation)));
  if (contents.tokenizer)
    add(tokenizerName, tokenizer);
  if (!contents.module.empty())
    add(moduleName, contents.module);
  sections.push_back({constantsName,
                      static_cast<uint64_t>(executable.constantBytes),
                      constants, alignmentOf(constantsName)});
  return writeSections(path, sections);
}

namespace {

/// Reads the sections. No byte of one is used before all of it was checked.
class ArtifactReader {
public:
  explicit ArtifactReader(const SectionFile &sections) : sections(sections) {}

  /// All but `file` and the constants' offset; `constants` are theirs.
  Result<LoadedArtifact> read(std::span<const std::byte> &constants) {
    // The constants are most of the file, and a vocabulary takes as long.
    auto checked = std::async(std::launch::async,
                              [this] { return sections.check(constantsName); });
    auto tokenizer =
        std::async(std::launch::async, [this] { return readTokenizer(); });
    LoadedArtifact artifact;
    auto done = readRest(artifact);
    auto found = checked.get();
    auto made = tokenizer.get();
    if (!found)
      return std::unexpected(found.error());
    if (!done)
      return std::unexpected(done.error());
    if (!made)
      return std::unexpected(made.error());
    constants = *found;
    artifact.tokenizer = std::move(*made);
    return artifact;
  }

private:
  Result<void> readRest(LoadedArtifact &artifact) const {
    auto done = read(originName, originFromJson, artifact.origin);
    if (done)
      done = read(programName, executableFromJson, artifact.executable);
    if (done)
      done = read(generationName, fromJson<GenerationDefaults>,
                  artifact.generation);
    if (done)
      done = checkPlannedBytes(artifact);
    if (!done || !sections.contains(moduleName))
      return done;
    auto module = sections.check(moduleName);
    if (!module)
      return std::unexpected(module.error());
    artifact.module = *module;
    return {};
  }

  template <typename T>
  Result<void> read(std::string_view name,
                    Result<T> (*fromJson)(const JsonValue &), T &value) const {
    auto bytes = sections.check(name);
    if (!bytes)
      return std::unexpected(bytes.error());
    auto json = parseRecord(
        {reinterpret_cast<const char *>(bytes->data()), bytes->size()});
    if (!json)
      return failure("{}: {}", name, json.error().message);
    auto read = fromJson(*json);
    if (!read)
      return failure("{}: {}", name, read.error().message);
    value = std::move(*read);
    return {};
  }

  Result<std::optional<Tokenizer>> readTokenizer() const {
    if (!sections.contains(tokenizerName))
      return std::nullopt;
    auto bytes = sections.check(tokenizerName);
    if (!bytes)
      return std::unexpected(bytes.error());
    auto data = parseTokenizerSection(*bytes);
    if (!data)
      return failure("{}: {}", tokenizerName, data.error().message);
    auto tokenizer = Tokenizer::create(*data);
    if (!tokenizer)
      return std::unexpected(tokenizer.error());
    return std::move(*tokenizer);
  }

  /// The same memory as where it was compiled.
  static Result<void> checkPlannedBytes(const LoadedArtifact &artifact) {
    int64_t here = Session::plannedBytes(
        artifact.executable,
        {.numSequences = artifact.origin.pipeline.batch, .withForward = false});
    if (here != artifact.origin.plannedBytes)
      return failure("planned bytes: got {}, expected the {} that it was "
                     "compiled with",
                     here, artifact.origin.plannedBytes);
    return {};
  }

  const SectionFile &sections;
};

} // namespace

Result<LoadedArtifact> readArtifact(const std::filesystem::path &path) {
  auto file = MappedFile::open(path);
  if (!file)
    return std::unexpected(file.error());
  auto bytes = (*file)->bytes();
  auto sections = SectionFile::open(bytes, alignmentOf);
  if (!sections)
    return failure("{}: {}", path.string(), sections.error().message);
  std::span<const std::byte> constants;
  auto artifact = ArtifactReader(*sections).read(constants);
  if (!artifact)
    return failure("{}: {}", path.string(), artifact.error().message);
  int64_t expected = artifact->executable.constantBytes;
  if (static_cast<int64_t>(constants.size()) != expected)
    return failure("{}: constants: got {} bytes, expected the {} of the "
                   "program",
                   path.string(), constants.size(), expected);
  artifact->constantsOffset = constants.data() - bytes.data();
  artifact->file = std::move(*file);
  return artifact;
}

} // namespace tandem
