#include "backend/ExecutableJson.h"

#include "backend/ExecutableCheck.h"
#include "backend/JsonRecord.h"

namespace tandem {

template <> struct JsonNames<ElementType> {
  static constexpr std::string_view names[] = {"f32", "f16",   "bf16",
                                               "i32", "qint8", "qint4"};
};
template <> struct JsonNames<Segment> {
  static constexpr std::string_view names[] = {"constant", "persistent",
                                               "transient", "external"};
};
template <> struct JsonNames<Layout> {
  static constexpr std::string_view names[] = {"plain", "column_panels",
                                               "row_panels"};
};
template <> struct JsonNames<ProgramKind> {
  static constexpr std::string_view names[] = {"forward", "prefill", "decode",
                                               "head"};
};

template <> struct JsonRecord<Value> {
  static constexpr std::tuple fields{
      JsonField{"type", &Value::type},
      JsonField{"shape", &Value::shape},
      JsonField{"segment", &Value::segment},
      JsonField{"offset", &Value::offset},
      JsonField{"row_stride", &Value::rowStride},
      JsonField{"layout", &Value::layout},
  };
};
template <> struct JsonRecord<Step> {
  static constexpr std::tuple fields{
      JsonField{"kernel", &Step::kernel},
      JsonField{"inputs", &Step::inputs},
      JsonField{"outputs", &Step::outputs},
      JsonField{"scratch", &Step::scratch},
      JsonField{"attributes", &Step::attributes},
      JsonField{"where", &Step::where},
  };
};
template <> struct JsonRecord<Program> {
  static constexpr std::tuple fields{
      JsonField{"name", &Program::name},
      JsonField{"kind", &Program::kind},
      JsonField{"rows", &Program::rows},
      JsonField{"planned", &Program::planned},
      JsonField{"values", &Program::values},
      JsonField{"inputs", &Program::inputs},
      JsonField{"outputs", &Program::outputs},
      JsonField{"steps", &Program::steps},
      JsonField{"transient_bytes", &Program::transientBytes},
  };
};
template <> struct JsonRecord<KvCacheLayout> {
  static constexpr std::tuple fields{
      JsonField{"layers", &KvCacheLayout::layers},
      JsonField{"heads", &KvCacheLayout::heads},
      JsonField{"head_size", &KvCacheLayout::headSize},
      JsonField{"block_size", &KvCacheLayout::blockSize},
      JsonField{"positions", &KvCacheLayout::positions},
      JsonField{"type", &KvCacheLayout::type},
  };
};
template <> struct JsonRecord<Constant> {
  static constexpr std::tuple fields{
      JsonField{"name", &Constant::name},
      JsonField{"shape", &Constant::shape},
      JsonField{"type", &Constant::type},
      JsonField{"layout", &Constant::layout},
      JsonField{"offset", &Constant::offset},
      JsonField{"parts", &Constant::parts},
      JsonField{"parts_dim", &Constant::partsDim},
  };
};
template <> struct JsonRecord<ModelSummary> {
  static constexpr std::tuple fields{
      JsonField{"name", &ModelSummary::name},
      JsonField{"vocab_size", &ModelSummary::vocabSize},
      JsonField{"positions", &ModelSummary::positions},
      JsonField{"layers", &ModelSummary::layers},
      JsonField{"heads", &ModelSummary::heads},
      JsonField{"embed", &ModelSummary::embed},
      JsonField{"inner", &ModelSummary::inner},
      JsonField{"parameters", &ModelSummary::parameters},
      JsonField{"eos_tokens", &ModelSummary::eosTokens},
  };
};
template <> struct JsonRecord<Executable> {
  static constexpr std::tuple fields{
      JsonField{"model", &Executable::model},
      JsonField{"kv_cache", &Executable::kvCache},
      JsonField{"programs", &Executable::programs},
      JsonField{"constants", &Executable::constants},
      JsonField{"constant_bytes", &Executable::constantBytes},
      JsonField{"threads", &Executable::numThreads},
  };
};

nlohmann::json toJson(const Executable &executable) {
  return toJson<Executable>(executable);
}

Result<Executable> executableFromJson(const nlohmann::json &json) {
  auto executable = fromJson<Executable>(json);
  if (!executable)
    return executable;
  if (auto checked = checkExecutable(*executable); !checked)
    return std::unexpected(checked.error());
  return executable;
}

} // namespace tandem
