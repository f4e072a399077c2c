#include "tools/ParseErrors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tandem {

namespace {

/// "tandem run".
std::string commandName(const CLI::App &app) {
  const CLI::App *parent = app.get_parent();
  return parent ? commandName(*parent) + " " + app.get_name() : app.get_name();
}

/// "-o,--output", or MODEL.
std::string nameOf(const CLI::Option &option) {
  return option.get_name(option.get_positional(), true);
}

std::string unexpected(const CLI::App &app, const std::string &argument) {
  if (argument.starts_with('-'))
    return fmt::format("{}: got an unknown option, expected one that `{} "
                       "--help` lists",
                       argument, commandName(app));
  std::vector<std::string> known;
  for (const CLI::App *command : app.get_subcommands({}))
    known.push_back(command->get_name());
  if (!known.empty())
    return fmt::format("command: got '{}', expected one of {}", argument,
                       fmt::join(known, ", "));
  for (const CLI::Option *option : app.get_options())
    if (option->get_positional())
      known.push_back(option->get_name());
  return fmt::format(
      "{}: got '{}' beyond its arguments, expected {}", commandName(app),
      argument,
      known.empty() ? "options alone"
                    : fmt::format("at most one {}", fmt::join(known, ", ")));
}

std::string missing(const CLI::App &app) {
  for (const CLI::Option *option : app.get_options())
    if (option->get_required() && option->count() == 0)
      return fmt::format("{}: got none, expected {}", nameOf(*option),
                         option->get_description());
  return fmt::format("{}: got too few arguments, expected those that `{} "
                     "--help` lists",
                     commandName(app), commandName(app));
}

std::string excluded(const CLI::App &app) {
  for (const CLI::Option *option : app.get_options())
    for (const CLI::Option *other : option->get_excludes())
      if (option->count() > 0 && other->count() > 0)
        return fmt::format("{}: got {} beside it, expected one of the two",
                           option->get_name(), other->get_name());
  return fmt::format("{}: got options that exclude each other, expected one of "
                     "them",
                     commandName(app));
}

std::string alone(const CLI::App &app) {
  for (const CLI::Option *option : app.get_options())
    for (const CLI::Option *other : option->get_needs())
      if (option->count() > 0 && other->count() == 0)
        return fmt::format("{}: got it without {}, expected both",
                           option->get_name(), other->get_name());
  return fmt::format("{}: got options without those that they need, expected "
                     "both",
                     commandName(app));
}

/// The option with whose value `error` is about: CLI11 tells in its text alone.
const CLI::Option *blamed(const CLI::ParseError &error, const CLI::App &app) {
  std::string_view text = error.what();
  for (const CLI::Option *option : app.get_options()) {
    std::string name = option->get_name();
    size_t at = text.find(name);
    if (at == std::string_view::npos)
      continue;
    std::string_view rest = text.substr(at + name.size());
    if (rest.empty() || rest.front() == ':' || rest.front() == ' ')
      return option;
  }
  return nullptr;
}

} // namespace

std::string explain(const CLI::ParseError &error, const CLI::App &tool) {
  std::vector<CLI::App *> commands = tool.get_subcommands();
  const CLI::App &app = commands.empty() ? tool : *commands.front();
  if (dynamic_cast<const CLI::ExtrasError *>(&error))
    if (std::vector<std::string> extras = tool.remaining(true); !extras.empty())
      return unexpected(app, extras.front());
  if (dynamic_cast<const CLI::RequiredError *>(&error))
    return missing(app);
  if (dynamic_cast<const CLI::ExcludesError *>(&error))
    return excluded(app);
  if (dynamic_cast<const CLI::RequiresError *>(&error))
    return alone(app);
  const CLI::Option *option = blamed(error, app);
  bool isFlag = option && option->get_items_expected_max() == 0;
  if (option && isFlag)
    return fmt::format("{}: got a value '{}', expected none",
                       option->get_name(), fmt::join(option->results(), ","));
  if (option && dynamic_cast<const CLI::ArgumentMismatch *>(&error))
    return fmt::format("{}: got no value, expected {} {}", option->get_name(),
                       option->get_name(), option->get_type_name());
  return error.what(); // our own checks say it all
}

} // namespace tandem
