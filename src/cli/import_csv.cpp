// SPDX-License-Identifier: Apache-2.0
#include "cli/import_csv.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <cerrno>
#include <cstring>

#include "cli/csv_reader.h"
#include "cli/csv_writer.h"
#include "cli/named_accounts.h"
#include "cli/progress.h"
#include "cli/subcommand.h"

namespace passbook::cli {
namespace {

bool is_same_file(const std::string& a, const std::string& b) {
    struct stat one{};
    struct stat other{};
    return stat(a.c_str(), &one) == 0 && stat(b.c_str(), &other) == 0 &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/// The invalid rows, as they were, with the line and the reason behind them; the header makes it a
/// file that can be imported once its rows are put right.
class Rejects {
public:
    Rejects(const CsvImport& import, const CsvRow& header)
        : path_(import.rejects), file_(nullptr, std::fclose) {
        if (path_.empty()) {
            return;
        }
        if (is_same_file(path_, import.file)) {
            throw CannotRun(fmt::format("--rejects {}: is the file to import itself", path_));
        }
        file_.reset(std::fopen(path_.c_str(), "wb"));
        if (!file_) {
            fail_on_file();
        }
        for (std::size_t at = 0; at < header.fields.size(); ++at) {
            if (header.fields[at] != rejected_line && header.fields[at] != rejected_because) {
                kept_.push_back(at);
            }
        }
        write(header, std::string(rejected_line), std::string(rejected_because));
    }

    void add(const CsvRow& row, const RowFault& fault) {
        if (file_) {
            write(row, std::to_string(row.line), fault.text());
        }
    }

    void close() {
        if (file_ && std::fclose(file_.release()) != 0) {
            fail_on_file();
        }
    }

private:
    void write(const CsvRow& row, const std::string& line, const std::string& because) {
        std::string out;
        CsvWriter writer(out);
        for (const std::size_t at : kept_) {
            writer.exact(at < row.fields.size() ? row.fields[at] : "");
        }
        writer.exact(line).exact(because);
        writer.end_row();
        if (std::fwrite(out.data(), 1, out.size(), file_.get()) != out.size()) {
            fail_on_file();
        }
    }

    [[noreturn]] void fail_on_file() const {
        throw CannotRun(fmt::format("--rejects {}: {}", path_, std::strerror(errno)));
    }

    std::string path_;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
    std::vector<std::size_t> kept_;  ///< Fields of the file that are kept.
};

class Importer {
public:
    explicit Importer(const CsvImport& import) : import_(import) {}

    CsvImportResult run(const std::function<std::unique_ptr<ImportTarget>()>& open_target) {
        check();
        if (result_.invalid > 0 && import_.rejects.empty()) {
            return result_;
        }
        const auto target = open_target();
        accounts_.each([&](const NamedAccounts::Account& account) {
            Opening opening{.floor = import_.floor};
            if (!account.second.empty()) {
                opening.asset = AssetCode::trusted(account.second);
            }
            target->open(AccountId::trusted(account.first), opening);
            ++result_.accounts;
        });
        target->finish();
        submit(*target);
        result_.tally = target->tally();
        accounts_.each([&](const NamedAccounts::Account& account) {
            result_.balance_sum += target->balance(AccountId::trusted(account.first));
        });
        result_.imported = true;
        return result_;
    }

private:
    static Header read_header(CsvReader& reader, CsvRow& row, const std::string& file) {
        if (!reader.next(row)) {
            throw CannotRun(
                fmt::format("{}: the file is empty; it must begin with a header", file));
        }
        auto header = Header::parse(row);
        if (!header) {
            throw CannotRun(fmt::format("{}:{}: {}", file, row.line, header.error()));
        }
        return *header;
    }

    void check() {
        CsvReader reader(import_.file);
        CsvRow header_row;
        const Header header = read_header(reader, header_row, import_.file);
        Rejects rejects(import_, header_row);
        Progress progress("checking ", reader.bytes_total());
        CsvRow row;
        while (reader.next(row)) {
            ++result_.rows;
            progress.at(reader.bytes_read(), result_.rows);
            if (const auto parsed = parse_row(header, row)) {
                accounts_.add(parsed->account.text(), parsed->asset ? parsed->asset->text() : "");
            } else {
                note(parsed.error());
                rejects.add(row, parsed.error());
            }
        }
        rejects.close();
    }

    void note(const RowFault& fault) {
        if (result_.invalid++ == 0) {
            result_.first_fault = fmt::format("{}:{}: {}", import_.file, fault.line, fault.text());
        }
    }

    void submit(ImportTarget& target) {
        CsvReader reader(import_.file);
        CsvRow row;
        const Header header = read_header(reader, row, import_.file);
        Progress progress("importing", reader.bytes_total());
        std::uint64_t rows = 0;
        std::uint64_t invalid = 0;
        while (reader.next(row)) {
            progress.at(reader.bytes_read(), ++rows);
            auto parsed = parse_row(header, row);
            if (parsed) {
                target.submit(std::move(*parsed));
            } else {
                ++invalid;
            }
        }
        target.finish();
        if (rows != result_.rows || invalid != result_.invalid) {
            throw CannotRun(
                fmt::format("{} changed while it was imported; {}", import_.file, run_again));
        }
    }

    const CsvImport& import_;
    CsvImportResult result_;
    NamedAccounts accounts_;
};

}  // namespace

CsvImportResult import_csv(const CsvImport& import,
                           const std::function<std::unique_ptr<ImportTarget>()>& open_target) {
    return Importer(import).run(open_target);
}

}  // namespace passbook::cli
