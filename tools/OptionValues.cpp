#include "tools/OptionValues.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace tandem {

namespace {

/// All of `text` as a decimal number.
template <typename T> std::optional<T> parse(const std::string &text) {
  T value{};
  const char *last = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last)
    return std::nullopt;
  return value;
}

/// Numbers plain, everything else in quotes.
std::string mismatch(const std::string &got, const std::string &expected) {
  std::string quote = parse<double>(got) ? "" : "'";
  return fmt::format("got {}{}{}, expected {}", quote, got, quote, expected);
}

std::vector<std::string> split(const std::string &list) {
  std::vector<std::string> entries;
  size_t begin = 0, end;
  while ((end = list.find(',', begin)) != std::string::npos) {
    entries.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  entries.push_back(list.substr(begin));
  return entries;
}

} // namespace

CLI::Option *addFlag(CLI::App &app, const std::string &names, bool &value,
                     const std::string &help) {
  return app.add_flag(names, value, help)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void addChoice(CLI::App &app, const std::string &name, const std::string &help,
               const std::vector<std::string> &choices,
               const std::function<void(const std::string &)> &choose) {
  app.add_option_function<std::string>(name, choose, help)
      ->check(oneOf(choices))
      ->type_name(fmt::format("{}", fmt::join(choices, "|")))
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

CLI::Option *addList(CLI::App &app, const std::string &name,
                     const std::string &help, const CLI::Validator &check,
                     const std::function<void(std::vector<std::string>)> &set) {
  auto checkEntries = [check](std::string &list) {
    for (const std::string &entry : split(list))
      if (std::string wrong = check(entry); !wrong.empty())
        return wrong;
    return std::string();
  };
  return app
      .add_option_function<std::string>(
          name, [set](const std::string &list) { set(split(list)); }, help)
      ->check(CLI::Validator(checkEntries, ""))
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

CLI::Option *addNumbers(CLI::App &app, const std::string &name,
                        const std::string &help, const CLI::Validator &check,
                        const std::function<void(std::vector<int64_t>)> &set) {
  auto parseAll = [set](const std::vector<std::string> &entries) {
    std::vector<int64_t> values;
    for (const std::string &entry : entries)
      values.push_back(*parse<int64_t>(entry));
    set(std::move(values));
  };
  return addList(app, name, help, check, parseAll)->type_name("N,N,..");
}

CLI::Validator wholeNumber(int64_t least, int64_t most) {
  auto check = [least, most](const std::string &text) -> std::string {
    auto number = parse<int64_t>(text);
    bool isPlain = number && text == std::to_string(*number); // CLI11: 010 is 8
    if (isPlain && *number >= least && *number <= most)
      return "";
    bool isOpen = most == noLimit && parse<double>(text).value_or(0) <=
                                         static_cast<double>(noLimit);
    return mismatch(
        text, isOpen
                  ? fmt::format("a whole number from {} on", least)
                  : fmt::format("a whole number from {} to {}", least, most));
  };
  return {check, ""};
}

CLI::Validator realNumber(bool (*accepts)(double),
                          const std::string &expected) {
  auto check = [accepts, expected](const std::string &text) -> std::string {
    auto number = parse<double>(text);
    return number && accepts(*number) ? "" : mismatch(text, expected);
  };
  return {check, ""};
}

CLI::Validator oneOf(const std::vector<std::string> &choices) {
  auto check = [choices](const std::string &text) -> std::string {
    if (std::ranges::find(choices, text) != choices.end())
      return "";
    return fmt::format("got '{}', expected {}{}", text,
                       choices.size() > 1 ? "one of " : "",
                       fmt::join(choices, ", "));
  };
  return {check, ""};
}

CLI::Validator pathName() {
  auto check = [](const std::string &text) -> std::string {
    return text.empty() ? "got an empty name, expected that of a file or folder"
                        : "";
  };
  return {check, ""};
}

} // namespace tandem
