#include "tools/dump/ModuleJson.h"
#include "ir/ElementTypes.h"
#include "ir/OpName.h"
#include "passes/ReadPlan.h"
#include "tools/dump/DataFlow.h"
#include "tools/dump/FunctionWork.h"
#include "tools/dump/TypeText.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

namespace tandem {

namespace {

/// null for an open dimension.
Json shapeJson(mlir::Type type) {
  Json shape = Json::array();
  for (int64_t dim : mlir::cast<mlir::ShapedType>(type).getShape())
    shape.push_back(mlir::ShapedType::isDynamic(dim) ? Json() : Json(dim));
  return shape;
}

Json attributeJson(mlir::Attribute attribute) {
  return llvm::TypeSwitch<mlir::Attribute, Json>(attribute)
      .Case([](mlir::IntegerAttr a) { return Json(a.getInt()); })
      .Case([](mlir::FloatAttr a) { return Json(a.getValueAsDouble()); })
      .Case([](mlir::UnitAttr) { return Json(true); })
      .Case([](mlir::StringAttr a) { return Json(a.getValue().str()); })
      .Case([](mlir::FlatSymbolRefAttr a) { return Json(a.getValue().str()); })
      .Case([](ActivationKindAttr a) {
        return Json(stringifyActivationKind(a.getValue()).str());
      })
      .Case([](KvPartAttr a) {
        return Json(stringifyKvPart(a.getValue()).str());
      })
      .Case(
          [](mlir::DenseI64ArrayAttr a) { return Json(a.asArrayRef().vec()); })
      .Default([](mlir::Attribute a) {
        std::string text;
        llvm::raw_string_ostream(text) << a;
        return Json(text);
      });
}

/// Where a view of the arena begins, in bytes.
std::optional<int64_t> arenaOffset(mlir::Value value) {
  auto view = value.getDefiningOp<mlir::memref::ViewOp>();
  auto offset =
      view ? view.getByteShift().getDefiningOp<mlir::arith::ConstantIndexOp>()
           : nullptr;
  return offset ? std::optional(offset.value()) : std::nullopt;
}

class FunctionDescriber {
public:
  explicit FunctionDescriber(mlir::func::FuncOp function)
      : function(function), names(function) {}

  Json run() {
    Json result;
    result["name"] = function.getName().str();
    if (ProgramAttr program = getProgram(function)) {
      result["phase"] = stringifyPhase(program.getPhase()).str();
      result["positions"] = program.getPositions();
    }
    result["arguments"] = Json::array();
    for (mlir::BlockArgument argument : function.getArguments()) {
      Json described = describe(argument);
      described["name"] = argumentName(argument).str();
      result["arguments"].push_back(std::move(described));
    }
    result["outputs"] = outputs();
    result["ops"] = Json::array();
    for (mlir::Operation &op : function.front().without_terminator())
      result["ops"].push_back(describe(op));
    FunctionWork work = workOf(function);
    result["working_ops"] = work.numOps;
    addWork(result, work.total);
    if (std::optional<ArenaUse> arena = readPlan(function)) {
      result["arena_bytes"] = arena->sizeInBytes;
      result["arena_lower_bound_bytes"] = arena->lowerBound;
    }
    return result;
  }

private:
  std::string nameOf(mlir::Value value) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    value.printAsOperand(stream, names);
    return text;
  }

  Json describe(mlir::Value value) {
    Json result;
    result["value"] = nameOf(value);
    result["type"] = typeText(value.getType());
    if (auto shaped = mlir::dyn_cast<mlir::ShapedType>(value.getType())) {
      result["shape"] = shapeJson(shaped);
      result["element"] = typeText(shaped.getElementType());
      std::optional<int64_t> bytes = sizeInBytes(value);
      result["bytes"] = bytes ? Json(*bytes) : Json();
    }
    if (mlir::isa<mlir::ShapedType, KvCacheType>(value.getType()))
      result["storage"] = name(storageOf(value)).str();
    if (std::optional<int64_t> offset = arenaOffset(value))
      result["arena_offset"] = *offset;
    return result;
  }

  Json describe(mlir::ValueRange values) {
    Json result = Json::array();
    for (mlir::Value value : values)
      result.push_back(describe(value));
    return result;
  }

  Json describe(mlir::Operation &op) {
    Json result;
    result["op"] = shortName(&op).str();
    result["where"] = originOf(&op).str();
    mlir::ValueRange destinations;
    if (auto compute = mlir::dyn_cast<ComputeOpInterface>(op))
      destinations = compute.getDestinations();
    result["operands"] =
        describe(op.getOperands().drop_back(destinations.size()));
    result["destinations"] = describe(destinations);
    result["results"] = describe(op.getResults());
    result["attributes"] = Json::object();
    for (mlir::NamedAttribute named : statedAttributes(&op))
      result["attributes"][named.getName().str()] =
          attributeJson(named.getValue());
    if (doesWork(&op))
      if (std::optional<Work> work = workOf(&op))
        addWork(result, *work);
    return result;
  }

  static void addWork(Json &to, const Work &work) {
    to["bytes_read"] = bytesJson(work.read);
    to["bytes_written"] = bytesJson(work.written);
    to["flop"] = work.flop;
    to["at_most"] = work.isBound;
  }

  /// By name, of tensors what is returned, of buffers the argument written.
  Json outputs() {
    Json result = Json::object();
    for (const DataEdge &edge : dataEdges(function))
      if (!edge.to)
        result[edge.output.str()] = nameOf(edge.value);
    return result;
  }

  mlir::func::FuncOp function;
  mlir::AsmState names;
};

Json describe(ParameterOp parameter) {
  auto type = mlir::cast<mlir::ShapedType>(parameter.getType());
  Json result;
  result["name"] = parameter.getSymName().str();
  result["type"] = typeText(type);
  result["shape"] = shapeJson(type);
  result["element"] = typeText(type.getElementType());
  result["bytes"] = packedSizeInBytes(parameter);
  result["parts"] = Json::array();
  for (mlir::FlatSymbolRefAttr part : parameter.getPartRefs())
    result["parts"].push_back(part.getValue().str());
  result["storage"] = name(Storage::Constant).str();
  result["layout"] = stringifyWeightLayout(parameter.getLayout()).str();
  result["offset"] =
      parameter.getOffset() ? Json(*parameter.getOffset()) : Json();
  return result;
}

} // namespace

Json bytesJson(const Work::Bytes &bytes) {
  Json result = Json::object();
  for (Storage storage : allStorages)
    if (int64_t count = bytes[static_cast<size_t>(storage)])
      result[name(storage).str()] = count;
  return result;
}

Json moduleJson(mlir::ModuleOp module, llvm::StringRef stage) {
  Json result;
  result["stage"] = stage.str();
  result["parameters"] = Json::array();
  for (auto parameter : module.getOps<ParameterOp>())
    result["parameters"].push_back(describe(parameter));
  result["functions"] = Json::array();
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (!function.isExternal())
      result["functions"].push_back(FunctionDescriber(function).run());
  return result;
}

} // namespace tandem
