#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// What the values of options may be. A value that is wrong by itself is found
/// while the command line is read, before any work: "--top-k: got -1, expected
/// a whole number from 0 on".
namespace tandem {

/// An option that, given twice, has its last value. `shape` stands for the
/// value in --help: N, FILE, on|off.
template <typename T>
CLI::Option *addValue(CLI::App &app, const std::string &names, T &value,
                      const std::string &shape, const std::string &help) {
  return app.add_option(names, value, help)
      ->type_name(shape)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

CLI::Option *addFlag(CLI::App &app, const std::string &names, bool &value,
                     const std::string &help);

/// One of `choices`, which `choose` gets.
void addChoice(CLI::App &app, const std::string &name, const std::string &help,
               const std::vector<std::string> &choices,
               const std::function<void(const std::string &)> &choose);

/// A list, as a,b: given twice, the last list counts. `check` is for an entry.
CLI::Option *addList(CLI::App &app, const std::string &name,
                     const std::string &help, const CLI::Validator &check,
                     const std::function<void(std::vector<std::string>)> &set);
CLI::Option *addNumbers(CLI::App &app, const std::string &name,
                        const std::string &help, const CLI::Validator &check,
                        const std::function<void(std::vector<int64_t>)> &set);

/// A decimal whole number. No size that is counted anywhere is as large as the
/// default of `most`, so a message leaves it out.
inline constexpr int64_t noLimit = int64_t{1} << 60;
CLI::Validator wholeNumber(int64_t least, int64_t most = noLimit);

/// A number for which `accepts` holds; `expected` says so in words.
CLI::Validator realNumber(bool (*accepts)(double), const std::string &expected);

CLI::Validator oneOf(const std::vector<std::string> &choices);

/// The name of a file or folder: anything but nothing.
CLI::Validator pathName();

} // namespace tandem
