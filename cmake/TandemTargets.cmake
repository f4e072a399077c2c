# The warnings every target of ours compiles with, and the two kinds of library:
# those that see MLIR and those that must not.
add_library(tandem_warnings INTERFACE)
# GCC 13 and later take what MLIR's types and attributes return for part of those small
# handles; it belongs to the context.
target_compile_options(tandem_warnings INTERFACE -Wall -Wextra -Werror -Wno-unused-parameter
  -Wno-dangling-reference)

# tandem_library(NAME SOURCES... LINK LIBS...)
function(tandem_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} PRIVATE tandem_warnings)
endfunction()

# tandem_mlir_library(NAME SOURCES... LINK LIBS...): compiled at -O1 in every
# configuration, since the compiler's time goes to building it, not to running it.
# All of them share one precompiled header of MLIR's own headers.
function(tandem_mlir_library name)
  tandem_library(${name} ${ARGN})
  target_link_libraries(${name} PUBLIC tandem_mlir)
  target_compile_options(${name} PRIVATE -O1)
  target_precompile_headers(${name} REUSE_FROM tandem_mlir_headers)
endfunction()

add_library(tandem_mlir INTERFACE)
target_include_directories(tandem_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_link_libraries(tandem_mlir INTERFACE MLIR LLVM fmt::fmt)

file(WRITE ${CMAKE_BINARY_DIR}/mlir_headers.cpp "")
add_library(tandem_mlir_headers OBJECT ${CMAKE_BINARY_DIR}/mlir_headers.cpp)
target_link_libraries(tandem_mlir_headers PRIVATE tandem_mlir tandem_warnings)
target_compile_options(tandem_mlir_headers PRIVATE -O1)
target_precompile_headers(tandem_mlir_headers PRIVATE
  <fmt/format.h>
  <mlir/Dialect/Arith/IR/Arith.h>
  <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/MemRef/IR/MemRef.h>
  <mlir/IR/BuiltinOps.h>
  <mlir/IR/PatternMatch.h>
  <mlir/Interfaces/InferTypeOpInterface.h>
  <mlir/Pass/PassManager.h>
  <mlir/Transforms/GreedyPatternRewriteDriver.h>)

# tandem_unit_test(NAME SOURCES... LINK LIBS... [FIXTURE F] [LABEL L]): one GoogleTest binary, one CTest entry a
# test. FIXTURE is a CTest fixture that its tests need, such as `reference`; the label `threads` has them run under
# ThreadSanitizer too, if the build preset `tsan` names the binary.
function(tandem_unit_test name)
  cmake_parse_arguments(ARG "" "FIXTURE;LABEL" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest_main tandem_warnings)
  target_compile_definitions(${name} PRIVATE TANDEM_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data"
    TANDEM_MODELS="${CMAKE_SOURCE_DIR}/models")
  if(ARG_FIXTURE)
    list(APPEND properties FIXTURES_REQUIRED ${ARG_FIXTURE})
  endif()
  if(ARG_LABEL)
    list(APPEND properties LABELS ${ARG_LABEL})
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
endfunction()
