#include "passes/Stage.h"

#include "ir/Tandem.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tandem;

static constexpr StageName stages[] = {
    {Stage::Imported, "imported"}, {Stage::Specialized, "specialized"},
    {Stage::Fused, "fused"},       {Stage::Typed, "typed"},
    {Stage::LaidOut, "laid-out"},  {Stage::Scheduled, "scheduled"},
    {Stage::Planned, "planned"},
};

llvm::ArrayRef<StageName> tandem::stageNames() { return stages; }

llvm::StringRef tandem::nameOf(Stage stage) {
  return stages[static_cast<size_t>(stage)].name;
}

namespace {

/// What the functions of a module work on.
enum class Form { Model, Tensors, Buffers };

Form formOf(Stage stage) {
  if (stage == Stage::Imported)
    return Form::Model;
  return stage == Stage::Planned ? Form::Buffers : Form::Tensors;
}

StringRef describe(Form form) {
  switch (form) {
  case Form::Model:
    return "a function of phase 'model'";
  case Form::Tensors:
    return "programs on tensors";
  case Form::Buffers:
    return "programs on buffers";
  }
  llvm_unreachable("every form has a description");
}

Form formOf(ModuleOp module) {
  Form form = Form::Tensors;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (ProgramAttr program = getProgram(function);
        program && program.getPhase() == Phase::Model)
      return Form::Model;
    if (llvm::any_of(function.getArgumentTypes(),
                     [](Type type) { return isa<MemRefType>(type); }))
      form = Form::Buffers;
  }
  return form;
}

bool isFused(ModuleOp module) {
  WalkResult walk = module.walk([](Operation *op) {
    auto parameter = dyn_cast<ParameterOp>(op);
    bool hasLayout = parameter && parameter.getLayout() != WeightLayout::Plain;
    return hasLayout || isa<LinearOp, AttentionOp, CachedAttentionOp,
                            AddLayerNormOp>(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

} // namespace

Result<Stage> tandem::stageOf(ModuleOp module) {
  Form form = formOf(module);
  if (auto stated = module->getAttrOfType<StringAttr>(stageAttrName)) {
    const StageName *known = llvm::find_if(stages, [&](const StageName &stage) {
      return stage.name == stated.getValue();
    });
    if (known == std::end(stages)) {
      std::string names;
      for (const StageName &stage : stages)
        names += (names.empty() ? "" : ", ") + stage.name.str();
      return failure("{}: got '{}', expected one of {}", stageAttrName.str(),
                     stated.str(), names);
    }
    if (formOf(known->stage) != form)
      return failure("{}: got {} with {}, expected {}", stageAttrName.str(),
                     stated.str(), describe(form).str(),
                     describe(formOf(known->stage)).str());
    return known->stage;
  }
  if (form == Form::Tensors)
    return isFused(module) ? Stage::Fused : Stage::Specialized;
  return form == Form::Model ? Stage::Imported : Stage::Planned;
}
