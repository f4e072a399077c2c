#pragma once

#include "support/Result.h"
#include "tools/Options.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <functional>

namespace tandem {

using Json = nlohmann::ordered_json;

/// What a command does; its value is the exit status.
using Action = std::function<Result<int>()>;

/// Looks for options that do not go together, before anything is done.
using CheckOptions = std::function<Result<void>()>;

/// How a tool gets a model that is ready for a session.
using PrepareModel =
    std::function<Result<Model>(const ModelOptions &, const ProgramUse &)>;

/// A command line with subcommands.
class Tool {
public:
  Tool(const std::string &name, const std::string &description);

  CLI::App &commandLine() { return app; }

  /// A subcommand that does `action`, once `check` has found nothing wrong. The
  /// caller adds its options; what they fill must live as long as `action`
  /// does.
  CLI::App *add(const std::string &name, const std::string &summary,
                Action action, CheckOptions check = {});

  /// Parses, acts, and returns the exit status: 0 done, 1 the input or the run
  /// is at fault, 2 the command line or the environment (TANDEM_CPU_LEVEL) is
  /// wrong; for 1 and 2 after one line `error: ...` on standard error.
  int run(int argc, char **argv);

  /// What to do when no subcommand is named; without it, one must be.
  void setAction(Action action) { chosen = std::move(action); }

private:
  CLI::App app;
  Action chosen;
};

/// What `options` and `use` ask of a session.
SessionOptions sessionOptions(const ModelOptions &options,
                              const ProgramUse &use);

/// A session on `model` as `options` want it.
Result<std::unique_ptr<Session>>
startSession(Model &model, const ModelOptions &options, const ProgramUse &use);

/// "working ..." on standard error while it lives, if that is a terminal.
class Progress {
public:
  explicit Progress(const std::string &what);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

private:
  bool shown;
};

/// Writes to standard output. Fails where nobody can read it: a full disk, say.
Result<int> print(const std::string &text);
Result<int> print(const Json &document);

} // namespace tandem
