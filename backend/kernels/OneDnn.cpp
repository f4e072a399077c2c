#include "backend/kernels/OneDnn.h"

#include "backend/kernels/CpuLevel.h"
#include "support/Layout.h"

#include <array>
#include <cstdlib>
#include <omp.h>
#include <oneapi/dnnl/dnnl.hpp>
#include <oneapi/dnnl/dnnl_debug.h>
#include <utility>

namespace tandem {

using dnnl::memory;

void prepareOneDnnThread() { omp_set_num_threads(1); }

struct OneDnnProduct::State {
  dnnl::primitive primitive;
  std::array<memory, 4> operands; // a, b, out, scratch
  std::array<dnnl_exec_arg_t, 4> arguments;
  dnnl::stream stream;
  int64_t scratchBytes = 0;
  std::string implementation;
};

std::string oneDnnVersion() {
  const dnnl_version_t *version = dnnl_version();
  return fmt::format("{}.{}.{}", version->major, version->minor,
                     version->patch);
}

OneDnnProduct::OneDnnProduct(std::unique_ptr<State, Destroy> state)
    : state(std::move(state)) {}

void OneDnnProduct::Destroy::operator()(State *state) const { delete state; }

int64_t OneDnnProduct::scratchBytes() const { return state->scratchBytes; }

std::string_view OneDnnProduct::implementation() const {
  return state->implementation;
}

static memory::data_type typeOf(ElementType type) {
  switch (type) {
  case ElementType::BF16:
    return memory::data_type::bf16;
  case ElementType::QInt8:
    return memory::data_type::s8;
  default:
    return memory::data_type::f32;
  }
}

static memory::desc describe(const OneDnnMatrix &m) {
  if (m.batch == 1)
    return {{m.rows, m.columns},
            typeOf(m.type),
            memory::dims{m.rowStride, m.columnStride}};
  return {{m.batch, m.rows, m.columns},
          typeOf(m.type),
          memory::dims{m.batchStride, m.rowStride, m.columnStride}};
}

static dnnl::cpu_isa instructionsOf(CpuLevel level) {
  switch (level) {
  case CpuLevel::V2:
    return dnnl::cpu_isa::sse41;
  case CpuLevel::V3:
    return dnnl::cpu_isa::avx2;
  case CpuLevel::V4:
    break;
  }
  return dnnl::cpu_isa::isa_default; // whatever the processor has
}

/// Keeps oneDNN to the level of our own kernels. It must be told before its
/// first primitive, and once.
static Result<void> limitInstructions() {
  static const Result<void> limited = []() -> Result<void> {
    const auto &level = cpuLevel();
    if (!level)
      return std::unexpected(level.error());
    auto status = dnnl::set_max_cpu_isa(instructionsOf(*level));
    if (status != dnnl::status::success)
      return failure("oneDNN: got {} when limited to {}, expected success",
                     dnnl_status2str(static_cast<dnnl_status_t>(status)),
                     cpuLevelName(*level));
    return {};
  }();
  return limited;
}

/// `describe` makes the primitive's description from an engine and attributes.
template <typename Description>
Result<OneDnnProduct> OneDnnProduct::create(std::string_view what,
                                            const Description &describe) {
  if (auto limited = limitInstructions(); !limited)
    return std::unexpected(limited.error());
  try {
    prepareOneDnnThread();
    dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    auto description = describe(engine, attributes);
    std::string name = description.impl_info_str();
    if (name.find("ref") != std::string::npos)
      return failure("oneDNN: {}: got implementation '{}', expected a fast one",
                     what, name);
    auto empty = [&](const memory::desc &desc) {
      return memory(desc, engine, nullptr);
    };
    std::unique_ptr<State, Destroy> state(new State{
        .primitive = dnnl::primitive(description),
        .operands = {empty(description.src_desc()),
                     empty(description.weights_desc()),
                     empty(description.dst_desc()),
                     empty(description.scratchpad_desc())},
        .arguments = {},
        .stream = dnnl::stream(engine),
        .scratchBytes =
            static_cast<int64_t>(description.scratchpad_desc().get_size()),
        .implementation = name});
    constexpr std::array<int, 4> roles = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS,
                                          DNNL_ARG_DST, DNNL_ARG_SCRATCHPAD};
    for (size_t i = 0; i < roles.size(); ++i)
      state->arguments[i] = {roles[i], state->operands[i].get()};
    return OneDnnProduct(std::move(state));
  } catch (const dnnl::error &error) {
    return failure("oneDNN: {}: {}", what, error.what());
  }
}

Result<OneDnnProduct> OneDnnProduct::matmul(const OneDnnMatrix &a,
                                            const OneDnnMatrix &b,
                                            const OneDnnMatrix &out) {
  auto description = [&](const dnnl::engine &engine,
                         const dnnl::primitive_attr &attributes) {
    return dnnl::matmul::primitive_desc(engine, describe(a), describe(b),
                                        describe(out), attributes);
  };
  return create(fmt::format("matmul [{}, {}, {}] x [{}, {}, {}]", a.batch,
                            a.rows, a.columns, b.batch, b.rows, b.columns),
                description);
}

/// A name that oneDNN has for panels, and the depth that a panel is padded to
/// under it.
struct PanelFormat {
  memory::format_tag tag;
  int64_t depthBlock;
};

/// The best one first. The same bytes, where the padded depth is the same.
static std::vector<PanelFormat> panelFormats(ElementType type) {
  using tag = memory::format_tag;
  switch (type) {
  case ElementType::BF16:
    return {{tag::AB16b64a2b, 32}, {tag::AB8b64a2b, 16}};
  case ElementType::QInt8:
    return {{tag::AB16b64a4b, 64}};
  default:
    return {{tag::AB16b64a, 16}};
  }
}

Result<OneDnnProduct> OneDnnProduct::panels(const OneDnnMatrix &a,
                                            int64_t columns) {
  std::string what =
      fmt::format("inner product {} [{}, {}] x [{}, {}]", name(a.type), a.rows,
                  a.columns, a.columns, columns);
  Result<OneDnnProduct> product = failure(
      "oneDNN: {}: got sizes that are no multiples of its blocks", what);
  for (const PanelFormat &format : panelFormats(a.type)) {
    if (columns % panelColumns != 0 ||
        roundUp(a.columns, format.depthBlock) !=
            roundUp(a.columns, depthBlock(a.type)))
      continue;
    product = create(what, [&](const dnnl::engine &engine,
                               const dnnl::primitive_attr &attributes) {
      auto result =
          isQuantized(a.type) ? memory::data_type::s32 : memory::data_type::f32;
      memory::desc weights({columns, a.columns}, typeOf(a.type), format.tag);
      memory::desc out({a.rows, columns}, result, memory::format_tag::ab);
      return dnnl::inner_product_forward::primitive_desc(
          engine, dnnl::prop_kind::forward_inference, describe(a), weights, out,
          attributes);
    });
    if (product)
      break;
  }
  return product;
}

void OneDnnProduct::run(const void *a, const void *b, void *out,
                        std::byte *scratch) const {
  const void *addresses[] = {a, b, out, scratch};
  // Through the C interface: the C++ one allocates a map and a vector a call.
  auto status = dnnl_success;
  for (size_t i = 0; i < state->operands.size() && status == dnnl_success; ++i)
    status = dnnl_memory_set_data_handle(state->arguments[i].memory,
                                         const_cast<void *>(addresses[i]));
  if (status == dnnl_success)
    status = dnnl_primitive_execute(state->primitive.get(), state->stream.get(),
                                    static_cast<int>(state->arguments.size()),
                                    state->arguments.data());
  if (status != dnnl_success) {
    fmt::print(stderr, "oneDNN: {} failed: {}\n", state->implementation,
               dnnl_status2str(status));
    std::abort();
  }
}

} // namespace tandem
