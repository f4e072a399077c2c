#include "frontend/MlirModel.h"

#include "frontend/CheckpointFiles.h"
#include "ir/Diagnostics.h"
#include "ir/Tandem.h"
#include "support/MappedFile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tandem;

/// Brackets within brackets: far more than any module has, far fewer than the
/// parser, which recurs, has stack for.
static constexpr int64_t deepestNesting = 256;

/// The line on which brackets are nested too deeply, or 0. Strings and comments
/// are not set aside: what that miscounts is refused by the parser.
static int64_t lineNestedTooDeeply(StringRef text) {
  int64_t depth = 0, line = 1;
  for (auto [i, byte] : llvm::enumerate(text)) {
    bool isArrow = byte == '>' && i > 0 && text[i - 1] == '-';
    if (byte == '\n')
      ++line;
    else if (StringRef("([{<").contains(byte))
      ++depth;
    else if (StringRef(")]}>").contains(byte) && !isArrow && depth > 0)
      --depth;
    if (depth > deepestNesting)
      return line;
  }
  return 0;
}

/// Names the arguments of a model that name none.
static void nameArguments(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, argumentNameAttrName))
      return;
  if (function.getNumArguments() != 2)
    return; // for the passes to refuse
  Builder builder(function.getContext());
  function.setArgAttr(0, argumentNameAttrName, builder.getStringAttr("tokens"));
  function.setArgAttr(1, argumentNameAttrName,
                      builder.getStringAttr("positions"));
}

/// How many rows the smallest table has that `positions` looks up.
static std::optional<int64_t> rowsLookedUp(Value positions) {
  std::optional<int64_t> rows;
  for (Operation *user : positions.getUsers())
    if (auto embedding = dyn_cast<EmbeddingOp>(user)) {
      int64_t size =
          cast<ShapedType>(embedding.getTable().getType()).getDimSize(0);
      rows = std::min(rows.value_or(size), size);
    }
  return rows;
}

/// Says of a lone function what it leaves out.
static LogicalResult completeModel(ModuleOp module) {
  auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
  if (functions.empty())
    return module.emitOpError("functions: got none, expected the model");
  for (func::FuncOp function : functions) {
    if (getProgram(function))
      continue;
    std::optional<int64_t> positions;
    if (functions.size() == 1 && function.getNumArguments() == 2)
      positions = rowsLookedUp(function.getArgument(1));
    if (!positions)
      return function.emitOpError("@")
             << function.getName() << ": attribute '" << programAttrName
             << "': got none, and no second argument that looks up a table of "
                "positions, expected #tandem.program<model, positions = ...>";
    function->setAttr(
        programAttrName,
        ProgramAttr::get(module.getContext(), Phase::Model, *positions));
  }
  for (func::FuncOp function : functions)
    if (getProgram(function).getPhase() == Phase::Model)
      nameArguments(function);
  return success();
}

/// That every function is one block of what some stage is made of.
static LogicalResult checkOps(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.getBody().hasOneBlock())
      return function.emitOpError("body: got ")
             << function.getBody().getBlocks().size() << " blocks, expected 1";
  WalkResult walk = module.walk([&](Operation *op) {
    bool isKnown =
        op == module || isa_and_nonnull<TandemDialect>(op->getDialect()) ||
        isa<func::FuncOp, func::ReturnOp, memref::ViewOp, memref::SubViewOp,
            memref::CopyOp, arith::ConstantIndexOp>(op);
    if (isKnown)
      return WalkResult::advance();
    op->emitOpError("got an op that no stage has, expected one of the tandem "
                    "dialect");
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

/// That positions, and the bytes of every parameter, are numbers to count with.
static LogicalResult checkSizes(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (int64_t positions = getProgram(function).getPositions();
        positions > INT32_MAX)
      return function.emitOpError("positions: got ")
             << positions << ", expected at most " << INT32_MAX;
  for (auto parameter : module.getOps<ParameterOp>()) {
    int64_t bytes = sizeof(float);
    for (int64_t size : cast<ShapedType>(parameter.getType()).getShape())
      if (__builtin_mul_overflow(bytes, size, &bytes))
        return parameter.emitOpError("type: got ")
               << parameter.getType() << ", expected fewer than 2^63 bytes";
  }
  return success();
}

bool tandem::isMlirFile(const std::filesystem::path &path) {
  return path.extension() == ".mlir";
}

Result<OwningOpRef<ModuleOp>>
tandem::readMlirModel(MLIRContext &context, const std::filesystem::path &path) {
  auto file = MappedFile::open(path);
  if (!file)
    return std::unexpected(file.error());
  StringRef text(reinterpret_cast<const char *>((*file)->bytes().data()),
                 (*file)->bytes().size());
  if (int64_t line = lineNestedTooDeeply(text))
    return tandem::failure(
        "{}:{}: got brackets nested more than {} deep, expected fewer",
        path.string(), line, deepestNesting);
  context.loadDialect<TandemDialect, func::FuncDialect, memref::MemRefDialect,
                      arith::ArithDialect>();
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, path.string()), {});
  DiagnosticText diagnostics(&context);
  auto module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (!module || failed(checkOps(*module)) || failed(completeModel(*module)) ||
      failed(checkSizes(*module)))
    return diagnostics.failure();
  return module;
}

Result<std::filesystem::path>
tandem::findWeights(ModuleOp module, const std::filesystem::path &file) {
  auto folder = std::filesystem::absolute(file).parent_path();
  auto beside = folder / file.stem().concat(".safetensors");
  std::error_code ignored;
  if (std::filesystem::exists(beside, ignored))
    return beside;
  if (hasWeightFiles(folder))
    return folder;
  if (auto stated = module->getAttrOfType<StringAttr>(weightsAttrName))
    return folder / stated.str();
  return tandem::failure("{}: weights: got none beside it, expected {}, "
                         "model.safetensors or a module with {}",
                         file.string(), beside.filename().string(),
                         weightsAttrName.str());
}

std::vector<TensorShape> tandem::parametersOf(ModuleOp module) {
  std::vector<TensorShape> list;
  for (auto parameter : module.getOps<ParameterOp>())
    if (parameter.getPartRefs().empty())
      list.push_back({parameter.getSymName().str(),
                      cast<ShapedType>(parameter.getType()).getShape().vec()});
  return list;
}
