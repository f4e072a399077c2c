#include "tools/Command.h"

#include "backend/kernels/CpuLevel.h"
#include "backend/kernels/OneDnn.h"
#include "runtime/ArtifactOrigin.h"
#include "tools/ParseErrors.h"

#include <cstdio>
#include <sstream>
#include <unistd.h>

namespace tandem {

namespace {

int reportError(const std::string &message, int status) {
  std::string line = message;
  for (char &c : line)
    if (c == '\n' || c == '\r')
      c = ' ';
  line = "error: " + line + "\n";
  std::fputs(line.c_str(), stderr); // if that fails too, nobody is listening
  return status;
}

} // namespace

Tool::Tool(const std::string &name, const std::string &description)
    : app(description, name) {
  app.set_version_flag(
      "--version",
      fmt::format("{} {}\noneDNN {}", name, tandemVersion(), oneDnnVersion()),
      "print the version and exit");
}

CLI::App *Tool::add(const std::string &name, const std::string &summary,
                    Action action, CheckOptions check) {
  CLI::App *command = app.add_subcommand(name, summary);
  command->callback([this, action, check] {
    if (check)
      if (auto checked = check(); !checked)
        throw CLI::ValidationError(checked.error().message);
    chosen = action;
  });
  return command;
}

int Tool::run(int argc, char **argv) {
  try {
    app.parse(argc, argv);
    if (const auto &level = cpuLevel(); !level)
      return reportError(level.error().message, 2);
  } catch (const CLI::Success &asked) { // for help or the version
    std::ostringstream text;
    app.exit(asked, text, text);
    chosen = [text = text.str()] { return print(text); };
  } catch (const CLI::ParseError &error) {
    return reportError(explain(error, app), 2);
  }
  if (!chosen)
    return reportError("command: got none, expected one; see --help", 2);
  try {
    Result<int> status = chosen();
    return status ? *status : reportError(status.error().message, 1);
  } catch (const std::exception &error) { // a library's, such as bad_alloc
    return reportError(error.what(), 1);
  }
}

SessionOptions sessionOptions(const ModelOptions &options,
                              const ProgramUse &use) {
  SessionOptions session;
  session.numThreads = options.numThreads;
  session.numSequences = options.batch;
  session.memoryLimit = options.memoryLimit;
  session.withCache = use.cached;
  session.withForward = use.uncached;
  return session;
}

Result<std::unique_ptr<Session>>
startSession(Model &model, const ModelOptions &options, const ProgramUse &use) {
  return Session::create(model.executable, std::move(model.constants),
                         model.memory, sessionOptions(options, use));
}

Progress::Progress(const std::string &what) : shown(isatty(STDERR_FILENO)) {
  if (shown)
    fmt::print(stderr, "{} ...", what);
}

Progress::~Progress() {
  if (shown)
    fmt::print(stderr, "\r\033[K");
}

Result<int> print(const std::string &text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
      std::fflush(stdout) != 0)
    return failure("standard output: got an error writing, expected room");
  return 0;
}

Result<int> print(const Json &document) {
  return print(document.dump(-1, ' ', false, Json::error_handler_t::replace) +
               "\n");
}

} // namespace tandem
