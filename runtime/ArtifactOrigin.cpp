#include "runtime/ArtifactOrigin.h"

#include "backend/JsonRecord.h"
#include "runtime/InstructionSets.h"

namespace tandem {

template <> struct JsonRecord<PipelineRecord> {
  static constexpr std::tuple fields{
      JsonField{"passes", &PipelineRecord::passes},
      JsonField{"disabled_passes", &PipelineRecord::disabledPasses},
      JsonField{"buckets", &PipelineRecord::buckets},
      JsonField{"context", &PipelineRecord::context},
      JsonField{"batch", &PipelineRecord::batch},
      JsonField{"threads", &PipelineRecord::threads},
  };
};
template <> struct JsonRecord<ArtifactOrigin> {
  static constexpr std::tuple fields{
      JsonField{"tandem_version", &ArtifactOrigin::tandemVersion},
      JsonField{"source", &ArtifactOrigin::source},
      JsonField{"source_hash", &ArtifactOrigin::sourceHash},
      JsonField{"instruction_sets", &ArtifactOrigin::instructionSets},
      JsonField{"pipeline", &ArtifactOrigin::pipeline},
      JsonField{"planned_bytes", &ArtifactOrigin::plannedBytes},
  };
};

std::string_view tandemVersion() { return TANDEM_VERSION; }

nlohmann::json toJson(const ArtifactOrigin &origin) {
  return toJson<ArtifactOrigin>(origin);
}

Result<ArtifactOrigin> originFromJson(const nlohmann::json &json) {
  if (auto found = json.find("tandem_version");
      found != json.end() && found->is_string())
    if (std::string version = found->get<std::string>();
        version != tandemVersion())
      return failure(
          "tandem_version: got {}, expected \"{}\": compile the model again",
          found->dump(-1, ' ', true, JsonValue::error_handler_t::replace),
          tandemVersion());
  auto origin = fromJson<ArtifactOrigin>(json);
  if (!origin)
    return origin;
  if (auto fits = requireInstructionSets(origin->instructionSets); !fits)
    return std::unexpected(fits.error());
  return origin;
}

} // namespace tandem
