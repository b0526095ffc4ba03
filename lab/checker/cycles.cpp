// SPDX-License-Identifier: Apache-2.0
// Whether one order explains every account at once: what precedes what, on each account by seq and
// by the clock where one returned before another was sent, must have no cycle.
#include <fmt/format.h>
#include <algorithm>
#include <unordered_map>

#include "lab/checker/index.h"

namespace passbook::lab::checker {
namespace {

using Node = std::uint32_t;

/// Edges in one array, by their source.
class Graph {
public:
    Node add() {
        return count_++;
    }
    void precede(Node before, Node after) {
        if (before != after) {
            pairs_.emplace_back(before, after);
        }
    }
    /// To be called once, before the edges are read.
    void settle() {
        begins_.assign(count_ + 1, 0);
        for (const auto& [before, after] : pairs_) {
            ++begins_[before + 1];
        }
        for (Node n = 0; n < count_; ++n) {
            begins_[n + 1] += begins_[n];
        }
        afters_.resize(pairs_.size());
        std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
        for (const auto& [before, after] : pairs_) {
            afters_[next[before]++] = after;
        }
        pairs_ = {};
    }
    [[nodiscard]] std::span<const Node> after(Node node) const {
        return std::span(afters_).subspan(begins_[node], begins_[node + 1] - begins_[node]);
    }
    [[nodiscard]] Node count() const noexcept {
        return count_;
    }

private:
    Node count_ = 0;
    std::vector<std::pair<Node, Node>> pairs_;
    std::vector<std::uint32_t> begins_;
    std::vector<Node> afters_;
};

/// Tarjan's strongly connected components, without recursion: histories are long.
class Components {
public:
    explicit Components(const Graph& graph)
        : graph_(graph),
          order_(graph.count(), 0),
          low_(graph.count(), 0),
          component_(graph.count(), 0) {
        for (Node node = 0; node < graph.count(); ++node) {
            if (order_[node] == 0) {
                walk(node);
            }
        }
    }

    /// Those of more than one node; every cycle lies within one of them.
    [[nodiscard]] const std::vector<std::vector<Node>>& cyclic() const noexcept {
        return cyclic_;
    }
    [[nodiscard]] bool together(Node a, Node b) const {
        return component_[a] == component_[b];
    }

private:
    struct Frame {
        Node node;
        std::size_t next;
    };

    void walk(Node root) {
        std::vector<Frame> frames;
        enter(root, frames);
        while (!frames.empty()) {
            Frame& frame = frames.back();
            const auto afters = graph_.after(frame.node);
            if (frame.next < afters.size()) {
                const Node after = afters[frame.next++];
                if (order_[after] == 0) {
                    enter(after, frames);
                } else if (component_[after] == 0) {
                    low_[frame.node] = std::min(low_[frame.node], order_[after]);
                }
                continue;
            }
            const Node done = frame.node;
            frames.pop_back();
            if (!frames.empty()) {
                low_[frames.back().node] = std::min(low_[frames.back().node], low_[done]);
            }
            if (low_[done] == order_[done]) {
                close(done);
            }
        }
    }

    void enter(Node node, std::vector<Frame>& frames) {
        order_[node] = low_[node] = ++reached_;
        open_.push_back(node);
        frames.push_back({node, 0});
    }

    void close(Node root) {
        std::vector<Node> members;
        ++closed_;
        do {
            members.push_back(open_.back());
            component_[open_.back()] = closed_;
            open_.pop_back();
        } while (members.back() != root);
        if (members.size() > 1) {
            cyclic_.push_back(std::move(members));
        }
    }

    const Graph& graph_;
    std::vector<std::uint32_t> order_;
    std::vector<std::uint32_t> low_;
    std::vector<std::uint32_t> component_;  ///< From 1; 0 while open.
    std::vector<Node> open_;
    std::vector<std::vector<Node>> cyclic_;
    std::uint32_t reached_ = 0;
    std::uint32_t closed_ = 0;
};

/// The shortest way from a node back to itself.
std::vector<Node> shortest_cycle(const Graph& graph, const Components& components, Node start) {
    std::unordered_map<Node, Node> from;
    std::vector<Node> queue{start};
    for (std::size_t n = 0; n < queue.size(); ++n) {
        for (const Node after : graph.after(queue[n])) {
            if (after == start) {
                std::vector<Node> cycle;
                for (Node node = queue[n]; node != start; node = from.at(node)) {
                    cycle.push_back(node);
                }
                cycle.push_back(start);
                std::reverse(cycle.begin(), cycle.end());
                return cycle;
            }
            if (components.together(start, after) && from.emplace(after, queue[n]).second) {
                queue.push_back(after);
            }
        }
    }
    return {};
}

/// The nodes are what happened, transactions and reads, and the moments at which something
/// returned. A moment precedes the next one, so that the clock costs one edge per event and not one
/// per pair.
class Precedence {
public:
    explicit Precedence(const Index& index) : index_(index) {
        for (const Journal& journal : index.journals()) {
            add_journal(journal);
        }
        add_reads();
        add_clock();
        graph_.settle();
    }

    [[nodiscard]] const Graph& graph() const noexcept {
        return graph_;
    }

    [[nodiscard]] std::string text(const std::vector<Node>& cycle) const {
        std::string out;
        for (const Node node : cycle) {
            const Label label = node < labels_.size() ? labels_[node] : Label{};
            if (label.transaction != 0) {
                out += index_.text(label.transaction) + " before ";
            } else if (label.read != 0) {
                out += fmt::format("the read at {} before ", label.read);
            }
        }
        return out + "the first of them";
    }

private:
    /// What a node stands for, for witnesses; neither where it is a moment.
    struct Label {
        Id transaction = 0;
        Time read = 0;
    };

    Node add(Label label) {
        labels_.push_back(label);
        return graph_.add();
    }

    struct Span {
        Time sent;
        Time returned;
        Node node;
    };

    Node node_of(const Entry& entry) {
        const auto [found, is_new] = by_transaction_.emplace(entry.transaction, 0);
        if (is_new) {
            found->second = add({.transaction = entry.transaction});
            if (const Wish* made = index_.maker(entry.transaction)) {
                spans_.push_back({index_.sent(*made), index_.known(*made), found->second});
            }
        }
        return found->second;
    }

    void add_journal(const Journal& journal) {
        std::optional<Node> before;
        for (const Entry& entry : journal.entries) {
            if (entry.transaction != 0) {
                const Node node = node_of(entry);
                if (before) {
                    graph_.precede(*before, node);
                }
                before = node;
            }
        }
    }

    void add_reads() {
        for (const Call& call : index_.history().calls) {
            if (call.op != Op::read || call.verdict != Verdict::ok) {
                continue;
            }
            const Node read = add({.read = call.returned});
            spans_.push_back({call.invoked, call.returned, read});
            for (const Seen& state : index_.seen(call)) {
                add_state(read, state);
            }
        }
    }

    void add_state(Node read, const Seen& state) {
        const Journal* journal = index_.journal(state.account);
        const auto seq = static_cast<std::size_t>(state.seq);
        if (journal == nullptr || state.seq < 0 || seq > journal->entries.size()) {
            return;
        }
        if (seq > 0 && journal->entries[seq - 1].transaction != 0) {
            graph_.precede(node_of(journal->entries[seq - 1]), read);
        }
        if (seq < journal->entries.size() && journal->entries[seq].transaction != 0) {
            graph_.precede(read, node_of(journal->entries[seq]));
        }
    }

    void add_clock() {
        std::vector<Span> by_sending = spans_;
        std::sort(by_sending.begin(), by_sending.end(),
                  [](const Span& a, const Span& b) { return a.sent < b.sent; });
        std::sort(spans_.begin(), spans_.end(),
                  [](const Span& a, const Span& b) { return a.returned < b.returned; });
        std::optional<Node> moment;
        auto next = spans_.begin();
        for (const Span& each : by_sending) {
            for (; next != spans_.end() && next->returned < each.sent; ++next) {
                const Node later = graph_.add();
                if (moment) {
                    graph_.precede(*moment, later);
                }
                graph_.precede(next->node, later);
                moment = later;
            }
            if (moment) {
                graph_.precede(*moment, each.node);
            }
        }
    }

    const Index& index_;
    Graph graph_;
    std::unordered_map<Id, Node> by_transaction_;
    std::vector<Label> labels_;  ///< By node; the moments come last and have none.
    std::vector<Span> spans_;
};

}  // namespace

void check_cycles(const Index& index, Findings& findings) {
    constexpr std::size_t starts_max = 32;
    const Precedence precedence(index);
    const Components components(precedence.graph());
    for (const std::vector<Node>& members : components.cyclic()) {
        std::vector<Node> shortest;
        for (std::size_t n = 0; n < members.size() && n < starts_max; ++n) {
            auto cycle = shortest_cycle(precedence.graph(), components, members[n]);
            if (shortest.empty() || cycle.size() < shortest.size()) {
                shortest = std::move(cycle);
            }
        }
        // Told from its earliest member, so that the same history is told in the same words.
        std::rotate(shortest.begin(), std::min_element(shortest.begin(), shortest.end()),
                    shortest.end());
        findings.add(shortest.size(), "no order explains it: " + precedence.text(shortest));
    }
}

}  // namespace passbook::lab::checker
