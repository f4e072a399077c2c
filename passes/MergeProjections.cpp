#include "passes/MemoryUse.h"
#include "passes/Passes.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

namespace tandem {
#define GEN_PASS_DEF_MERGEPROJECTIONS
#include "passes/Passes.h.inc"
} // namespace tandem

using namespace mlir;
using namespace tandem;

namespace {

/// Projections of one value, in order: linears of the same form.
using Group = SmallVector<LinearOp>;

/// The parameters of a group.
struct Parameters {
  bool transposed = false;
  std::vector<StringRef> weights, biases; // no biases, or one a weight

  bool operator<(const Parameters &other) const {
    return std::tie(transposed, weights, biases) <
           std::tie(other.transposed, other.weights, other.biases);
  }
};

/// The name of the parameter whose value this is, or "".
StringRef parameterName(Value value) {
  auto weight = value ? value.getDefiningOp<WeightOp>() : nullptr;
  return weight ? weight.getParameter() : StringRef();
}

Parameters parametersOf(ArrayRef<LinearOp> group) {
  Parameters parameters;
  for (LinearOp linear : group) {
    parameters.transposed = linear.getTransposeRhs();
    parameters.weights.push_back(parameterName(linear.getWeight()));
    if (linear.getBias())
      parameters.biases.push_back(parameterName(linear.getBias()));
  }
  return parameters;
}

/// Whether two linears project one value in the same way.
bool haveSameForm(LinearOp a, LinearOp b) {
  return a.getX() == b.getX() && a.getTransposeRhs() == b.getTransposeRhs() &&
         (a.getBias() == nullptr) == (b.getBias() == nullptr);
}

/// One name for parameters whose own differ between two dots: `h.0.q.bias` and
/// `h.0.k.bias` make `h.0.q_k.bias`.
std::string mergedName(ArrayRef<StringRef> names) {
  StringRef prefix = names.front(), suffix = names.front();
  for (StringRef name : names)
    while (!name.starts_with(prefix))
      prefix = prefix.drop_back();
  prefix = prefix.take_front(prefix.rfind('.') + 1);
  suffix = suffix.drop_front(prefix.size());
  for (StringRef name : names)
    while (!name.drop_front(prefix.size()).ends_with(suffix))
      suffix = suffix.drop_front();
  suffix = suffix.drop_front(std::min(suffix.find('.'), suffix.size()));
  auto own = llvm::map_range(names, [&](StringRef name) {
    return name.drop_front(prefix.size()).drop_back(suffix.size()).str();
  });
  return (prefix + llvm::join(own, "_") + suffix).str();
}

/// Finds what can be merged in a whole module: a parameter has one place for
/// all programs, so all of them must agree.
class ProjectionGroups {
public:
  ProjectionGroups(ModuleOp module, const TargetInfo &target)
      : symbols(module), target(target) {
    module.walk([&](WeightOp weight) {
      numUses[weight.getParameter()] += llvm::range_size(weight->getUses());
    });
    module.walk([&](LinearOp linear) {
      if (isProjection(linear))
        for (Value value : {Value(linear.getWeight()), linear.getBias()})
          ++numProjections[parameterName(value)];
    });
    for (auto function : module.getOps<func::FuncOp>())
      collect(function);
  }

  /// The groups of all programs by their parameters, where nothing else reads
  /// one of these: a part that is read on its own would be packed twice.
  std::map<Parameters, std::vector<Group>> take() {
    std::erase_if(groups, [&](const auto &entry) {
      auto isReadElsewhere = [&](StringRef name) {
        return numUses.lookup(name) != std::ssize(entry.second);
      };
      return llvm::any_of(entry.first.weights, isReadElsewhere) ||
             llvm::any_of(entry.first.biases, isReadElsewhere);
    });
    return std::move(groups);
  }

private:
  /// A product by a weight, and no more than a bias; whoever reads it can step
  /// over the columns of another.
  bool isProjection(LinearOp linear) {
    return linear->getNumResults() == 1 && !linear->use_empty() &&
           !linear.getActivation() && !linear.getResidual() &&
           isWhole(linear.getWeight()) &&
           (!linear.getBias() || isWhole(linear.getBias())) &&
           llvm::all_of(linear->getUses(), [&](OpOperand &use) {
             return readsRowsApart(use, target);
           });
  }

  /// A parameter that the store holds, and that has no place yet.
  bool isWhole(Value value) {
    StringRef name = parameterName(value);
    auto parameter = name.empty() ? nullptr : symbols.lookup<ParameterOp>(name);
    return parameter && parameter.getPartRefs().empty() &&
           parameter.getLayout() == WeightLayout::Plain &&
           !parameter.getOffset();
  }

  bool isReadByProjectionsAlone(Value value) {
    StringRef name = parameterName(value);
    return numUses.lookup(name) == numProjections.lookup(name);
  }

  void collect(func::FuncOp function) {
    SmallVector<Group> byForm;
    for (auto linear : function.getOps<LinearOp>()) {
      if (!isProjection(linear) ||
          !isReadByProjectionsAlone(linear.getWeight()) ||
          (linear.getBias() && !isReadByProjectionsAlone(linear.getBias())))
        continue;
      auto found = llvm::find_if(byForm, [&](const Group &group) {
        return haveSameForm(group.front(), linear);
      });
      (found == byForm.end() ? byForm.emplace_back() : *found)
          .push_back(linear);
    }
    for (const Group &group : byForm)
      if (group.size() > 1)
        groups[parametersOf(group)].push_back(group);
  }

  SymbolTable symbols;
  const TargetInfo &target;
  llvm::StringMap<int64_t> numUses, numProjections; // of a parameter's values
  std::map<Parameters, std::vector<Group>> groups;
};

struct MergeProjections : tandem::impl::MergeProjectionsBase<MergeProjections> {
  MergeProjections() = default;
  explicit MergeProjections(TargetInfo target) : target(std::move(target)) {}

  void runOnOperation() override {
    auto all = ProjectionGroups(getOperation(), target).take();
    int64_t linears = 0, wide = 0;
    for (const auto &[parameters, groups] : all) {
      ParameterOp weight =
          declare(parameters.weights, parameters.transposed ? 0 : 1);
      ParameterOp bias = parameters.biases.empty()
                             ? ParameterOp()
                             : declare(parameters.biases, 0);
      for (const Group &group : groups) {
        merge(group, weight, bias);
        linears += group.size();
        ++wide;
      }
    }
    count({{"linears merged", linears}, {"wide linears formed", wide}});
  }

  /// A parameter of these parts along `dim`, declared before the first.
  ParameterOp declare(ArrayRef<StringRef> names, int64_t dim) {
    SymbolTable symbols(getOperation());
    auto first = symbols.lookup<ParameterOp>(names.front());
    auto type = cast<RankedTensorType>(first.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = 0;
    for (StringRef name : names) {
      auto part = symbols.lookup<ParameterOp>(name);
      shape[dim] += cast<ShapedType>(part.getType()).getDimSize(dim);
    }
    auto merged = OpBuilder(&getContext())
                      .create<ParameterOp>(first.getLoc(), mergedName(names),
                                           type.clone(shape), names, dim);
    symbols.insert(merged, Block::iterator(first));
    return merged;
  }

  /// One product, and a slice of it in the place of each that there was.
  static void merge(const Group &group, ParameterOp weight, ParameterOp bias) {
    LinearOp first = group.front();
    OpBuilder builder(first);
    Location location = first.getLoc();
    auto valueOf = [&](ParameterOp parameter) -> Value {
      return parameter ? builder.create<WeightOp>(location, parameter.getType(),
                                                  parameter.getSymName())
                       : Value();
    };
    Value weightValue = valueOf(weight), biasValue = valueOf(bias);
    Value wide = create<LinearOp>(
        builder, location, first.getX(), weightValue, biasValue, Value(),
        Value(), ValueRange(), ActivationKindAttr(), first.getTransposeRhs());
    int64_t offset = 0;
    for (LinearOp linear : group) {
      Value narrow = linear->getResult(0);
      int64_t size = cast<ShapedType>(narrow.getType()).getDimSize(1);
      narrow.replaceAllUsesWith(create<SliceOp>(builder, linear.getLoc(), wide,
                                                ValueRange(), 1, offset, size));
      offset += size;
    }
    for (LinearOp linear : group) {
      Value operands[] = {linear.getWeight(), linear.getBias()};
      linear.erase();
      for (Value value : operands)
        if (value && value.use_empty())
          value.getDefiningOp()->erase();
    }
  }

  TargetInfo target;
};

} // namespace

std::unique_ptr<Pass> tandem::createMergeProjections(const TargetInfo &target) {
  return std::make_unique<MergeProjections>(target);
}
