"""What a RUN line may use: tandem, tandem-opt and tandem-run of this build; FileCheck, not and split-file of LLVM;
%models and %data, the folders models/ and tests/data/.
"""
import os

import lit.formats

config.name = "tandem"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)

# By way of PATH, and not as substitutions, which would also hit the word "tandem" inside file names and options.
config.environment["PATH"] = os.pathsep.join(
    [config.tandem_bin_dir, config.llvm_tools_dir, config.environment["PATH"]])
config.substitutions += [("%models", config.tandem_models), ("%data", config.tandem_test_data)]
for name in ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
