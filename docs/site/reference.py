# SPDX-License-Identifier: Apache-2.0
"""reference.py FOLDER

Writes the pages of the reference into FOLDER, as markdown: from each public header its functions and classes with the
comments above them, the rules of ops by their labels, and the examples of examples/reference/ with their output.
Exits with 1 where a function has no comment, or an op's function no example.
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADERS = ROOT / "include/tenon"
EXAMPLES = ROOT / "examples/reference"

# Page: title, what stands under it, headers (folders: all in them).
PAGES = {
    "tensors": ("Tensors", "Tensors, views, element types, printing.",
                ["core/tensor.hpp", "core/part.hpp", "core/bounded_tensor.hpp", "core/complex.hpp", "core/format/literals.hpp",
                 "core/format/print.hpp", "core/fail.hpp", "run/evaluate.hpp", "files/tensor_npy.hpp"]),
    "arrays": ("Whole arrays", "Functions of whole arrays as NumPy and JAX name them. Axes count from the end where "
               "they are negative.", ["numpy"]),
    "operators": ("Operators", "One side may be a number. The functions behind them, with their rules, are "
                  "[elementwise ops](elementwise.md).", ["ops/operators.hpp"]),
    "elementwise": ("Elementwise ops", "Element i of the result depends on elements i of the operands.",
                    ["ops/elementwise"]),
    "chlo": ("Ops of CHLO", "Functions that JAX writes in the dialect CHLO.", ["ops/chlo"]),
    "movement": ("Movement", "Elements in another order or shape, without arithmetic.", ["ops/movement"]),
    "lookup": ("Lookup", "Elements at places that other tensors hold.", ["ops/lookup"]),
    "creation": ("Creation", "Tensors from nothing, or from a state.", ["ops/creation"]),
    "reduction": ("Reductions and windows", "Many elements combined into one, and orders.", ["ops/reduction"]),
    "contraction": ("Products", "Products, convolutions, transforms, decompositions.", ["ops/contraction"]),
    "control": ("Control", "Loops, branches, and what is outside.", ["ops/control"]),
    "collective": ("Collectives", "Exchange among [several processes](../distributed.md).", ["ops/collective"]),
    "programs": ("Programs", "Traced functions and programs from text, compiled. Each is called like a function, `f(x, w)`, "
                 "or told more before: `f.into(y)(x, w)` writes to memory of the caller, `f.on(memory)(x, w)` works in an "
                 "`arena` or any `std::span<std::byte>`, `f.by(pool)(x, w)` divides the work among threads, "
                 "`f.as(process)(x, w)` is one process of a grid; these may be combined.", ["run/trace.hpp", "run/program.hpp", "tree.hpp"]),
    "loaded_programs": ("Programs that are read", "Programs and files that are read when they run.",
                        ["run/loaded_program.hpp", "calibration/quantize.hpp", "files/npy.hpp"]),
    "threads": ("Threads and processes", "Who does the work.",
                ["run/thread_pool.hpp", "distributed/process_grid.hpp", "distributed/simulated.hpp",
                 "distributed/timeline.hpp", "distributed/mpi.hpp"]),
    "explain": ("Explanations", "What became of a program.",
                ["pictures/explain.hpp", "pictures/dump.hpp", "pictures/svg.hpp"]),
}


@dataclass
class Item:
    kind: str  # function, class, macro
    name: str
    text: str  # the declaration
    comment: str
    header: str


@dataclass
class Rule:
    label: str
    sentence: str


@dataclass
class Op:
    name: str
    dialect: str
    struct: str
    header: str
    function: str = ""  # its name in C++, if it has one
    comment: str = ""
    page: str = ""
    rules: list = field(default_factory=list)
    lacking: list = field(default_factory=list)  # labels whose sentence was not found


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def end_of(text, start):
    """Where the declaration ends that begins at `start`: behind its `;`, or behind its body."""
    depth, i = 0, start
    while i < len(text):
        c = text[i]
        if text.startswith("//", i):
            i = text.index("\n", i)
        elif c in "\"'" and not (c == "'" and text[i - 1].isalnum()):
            i += 1
            while text[i] != c:
                i += 2 if text[i] == "\\" else 1
        elif c in "({[":
            depth += 1
        elif c in ")}]":
            depth -= 1
            if c == "}" and depth == 0 and not re.match(r"\s*(;|,|\)|>|\{)", text[i + 1:]):
                return i + 1
        elif c == ";" and depth == 0:
            return i + 1
        i += 1
    return len(text)


def items_of(path):
    """The declarations of namespace tenon in a header, with the comments above them. A comment counts for what follows
    it without an empty line."""
    text, header = path.read_text(), str(path.relative_to(HEADERS))
    result, at, spaces, comment = [], 0, [], ""
    while at < len(text):
        line_end = text.find("\n", at)
        line = text[at:] if line_end < 0 else text[at:line_end]
        if line.startswith("namespace"):
            spaces.append(line[len("namespace"):].strip(" {"))
        elif line.startswith("}  // namespace"):
            spaces.pop()
        elif line.startswith("//"):
            comment = line[2:].removeprefix(" ") if not comment.startswith("\n") else ""
            while text[line_end + 1:].startswith("//"):
                at, line_end = line_end + 1, text.find("\n", line_end + 1)
                comment += "\n" + text[at + 2:line_end].removeprefix(" ")
        elif line.startswith("#define TENON_") and "(" in line:
            name = re.match(r"#define (\w+)", line)[1]
            result.append(Item("macro", name, line.split("\\")[0].strip(), comment, header))
            while text[at:line_end].endswith("\\"):
                at, line_end = line_end + 1, text.find("\n", line_end + 1)
            comment = ""
        elif not line.strip() or line.startswith("#"):
            comment = ""
        else:
            end = end_of(text, at)
            declaration = text[at:end]
            if spaces in (["tenon"], ["tenon", "random"]):
                found = classify(declaration)
                if found:
                    kind, name, declaration = found
                    result.append(Item(kind, "::".join([*spaces[1:], name]), declaration, comment, header))
            line_end = text.find("\n", end - 1)
        if line_end < 0:
            break
        at = line_end + 1
    return result


def head_of(declaration):
    """Up to the body."""
    depth = 0
    for i, c in enumerate(declaration):
        if c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
        elif c == "{" and depth == 0:
            before = declaration[:i].rstrip()
            if re.search(r"[\w>]$", before) and re.match(r"\{[^;]*\}\s*[,)>]", declaration[i:]):
                continue  # ops::add{} among template arguments
            return before
    return declaration.rstrip(";")


def classify(declaration):
    text = re.sub(r"\s+", " ", without_comments(declaration)).strip()
    if "= delete" in text[-12:] or text.startswith(("using", "static_assert", "friend", "extern")):
        return None
    plain = re.sub(r"^template <", "", text)
    if plain != text:
        depth = 1
        for i, c in enumerate(plain):
            depth += (c == "<") - (c == ">" and plain[i - 1] != "-")
            if depth == 0:
                plain = plain[i + 1:].strip()
                break
        plain = re.sub(r"^requires ?(\(.*?\)+|[\w:]+(<[^{};()]*?>)?( [&|]{2} [\w:]+(<[^{};()]*?>)?)*) (?=\w)", "", plain)
    if plain.startswith(("concept", "template", "using")):
        return None
    found = re.match(r"inline constexpr detail::\w+<[\w, ]*> (\w+);", plain)
    if found:
        return "variable", found[1], declaration
    found = re.match(r"(?:class|struct)(?: \[\[\w+\]\]| alignas\(\w+\))? (\w+)", plain)
    if found and "{" in plain:
        return "class", found[1], declaration
    if plain.startswith("enum"):
        return "class", re.match(r"enum (?:class )?(\w+)", plain)[1], declaration
    head = head_of(plain)
    found = re.search(r"(operator ?(?:[^\s\w(]{1,3}|\"\"_\w+)|\b[a-z_]\w*) ?\(", head)
    if found and re.match(r"(constexpr|inline|void|auto|template|bool|std|const|tensor|traced|\[\[)", head):
        return "function", found[1], declaration
    return None


def parameters_of(text):
    """The parameters of a list, split at its commas."""
    parts, depth, current = [], 0, ""
    for i, c in enumerate(text):
        depth += (c in "(<[{") - (c in ")]}" or (c == ">" and text[i - 1] != "-"))
        if c == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += c
    return parts + [current.strip()] if current.strip() else parts


def call_of(item):
    """How the function is called: sum<Axes>(x)."""
    text = re.sub(r"\s+", " ", without_comments(item.text)).strip()
    arguments = []
    if text.startswith("template <"):
        depth, i = 1, len("template <")
        while depth:
            depth += (text[i] == "<") - (text[i] == ">")
            i += 1
        listed, text = parameters_of(text[len("template <"):i - 1]), text[i:]
        for each in listed:
            name, _, default = each.partition(" = ")
            if re.match(r"(class|operand_like|typename)\b", name) and (default or re.search(
                    rf"\b{name.split()[-1]}(&&|\.\.\.|&| [a-z])", text)):
                continue
            if name.split()[-1] in ("Rules", "Rule"):
                continue
            short = default.split("::")[-1].rstrip("{}") if "every_axis" in default or default.count("{") else default
            arguments.append(name.split()[-1].lstrip(".") + (f" = {short}" if short else ""))
    plain = item.name.split("::")[-1]
    start = text.index(plain)
    open_at = text.index("(", start + len(plain))
    depth, i = 1, open_at + 1
    while depth:
        depth += (text[i] == "(") - (text[i] == ")")
        i += 1
    names = []
    for each in parameters_of(text[open_at + 1:i - 1]):
        if re.search(r"_check<.*\{\}$", each):
            continue
        name, _, default = each.partition(" = ")
        word = name.split()[-1].lstrip("&*") if " " in name else name
        names.append(word + ("..." if "..." in name else "") + (f" = {default}" if default else ""))
    if item.name.startswith("operator"):
        return re.sub(r"\s+", " ", text[:i]).strip()
    return f"{item.name}{'<' + ', '.join(arguments) + '>' if arguments else ''}({', '.join(names)})"


def synopsis_of(item):
    """What is public of a class, without the bodies of functions."""
    lines, shown, depth_of_body = [], not item.text.lstrip().startswith(("class", "template")), None
    text = item.text
    opening = text.index("{")
    first = re.sub(r"\s+", " ", text[:opening]).strip()
    shown = not re.search(r"\bclass \w+( :.*)?$", first) or "enum" in first
    if "enum" in first:
        return re.sub(r"\s+", " ", text).rstrip(";") + ";"
    at, body, comment = opening + 1, text[:text.rindex("}")], []
    while at < len(body):
        line_end = body.find("\n", at)
        line_end = len(body) if line_end < 0 else line_end
        line = body[at:line_end].strip()
        if re.fullmatch(r"(public|private|protected):", line):
            shown = line == "public:"
        elif line.startswith("//"):
            comment.append("  " + line)
        elif not line:
            comment = []
        elif line:
            end = end_of(body, at)
            declaration = body[at:end]
            if shown and not re.match(r"\s*(friend|static_assert|#|using \w+::)", declaration):
                if re.match(r"\s*(template\s*<.*>\s*)?(requires .*\s)?(struct|class|enum)\b", declaration):
                    head = None
                elif declaration.rstrip().endswith("}") and "(" in declaration:
                    head = head_of(declaration.strip())
                    head = re.sub(r"\s*:\s+[a-z_]+[({].*$", "", head, flags=re.S)
                else:
                    head = declaration.strip().rstrip(";")
                if head:
                    head = re.sub(r"= \[\].*$", "= ...", head, flags=re.S)
                if head and "detail::" not in head.split("(")[0]:
                    lines += comment + ["  " + re.sub(r"\s*\n\s*", " ", head) + ";"]
            comment = []
            line_end = body.find("\n", end - 1)
            if line_end < 0:
                break
        at = line_end + 1
    return first + (" {\n" + "\n".join(lines) + "\n};" if lines else ";")


@dataclass
class Helper:
    """A function that states rules under labels that it is given: sentences by the place of the label."""
    position: int  # of the parameter
    sentences: list


def strings_joined(text):
    return re.sub(r'"\s+"', "", text)


def helpers_of(text):
    """Helpers by name. Labels come as a string, as a struct of strings in order, or as an array of them."""
    fields = {}
    for name, body in re.findall(r"\nstruct (\w*labels) \{\n(.*?)\n\};", text, re.S):
        strings = re.findall(r"const char\s*\*\s*([^;]*);", body)
        fields[name] = [re.match(r"\w+", each.strip(" *"))[0] for line in strings for each in line.split(",")]
    result = {}
    for name, parameters, body in re.findall(
            r"\n(?:static )?(?:constexpr|inline) [\w:<>]+&? (\w+)\((.*?)\) \{\n(.*?)\n\}\n", text, re.S):
        words = dict(re.findall(r'constexpr const char\*\s*(\w+)\s*=\s*"(.*?)";', body))

        def sentence(label, body=body, words=words):
            found = re.search(rf'{label},\s*(?:"(.*?)"|(\w+),)', body)
            return (found[1] or words.get(found[2])) if found else None

        for position, parameter in enumerate(parameters_of(" ".join(parameters.split()))):
            word = parameter.split()[-1].lstrip("&*")
            kind = re.search(r"const (\w*labels)&", parameter)
            if parameter.startswith("const char"):
                found = [sentence(word)]
            elif kind and re.search(rf"{word}\.\w+\[\d+\]", body):
                found = [sentence(rf"{word}\.\w+\[{i}\]") for i in range(40)]
            elif kind:
                found = [sentence(rf"{word}\.{each}") for each in fields[kind[1]]]
            else:
                continue
            if any(found):
                result.setdefault(name, []).append(Helper(position, found))
    return result


def arguments_of_calls(text, name):
    """The arguments of each call of a function."""
    for call in re.finditer(rf"\b{name}\(", text):
        end = end_of(text, call.start())
        whole = text[call.end():end]
        depth, i = 1, 0
        while depth and i < len(whole):
            depth += (whole[i] == "(") - (whole[i] == ")")
            i += 1
        yield parameters_of(" ".join(whole[:i - 1].split()))


def rules_of_ops():
    """The ops, with labels and sentences of their rules, as the headers state them."""
    everything = strings_joined("\n".join(p.read_text() for p in sorted(HEADERS.glob("ops/**/*.hpp"))))
    kinds = dict(re.findall(r"inline constexpr accepted_kinds (\w+)\{.*?\"(.*?)\"\};", everything, re.S))
    helpers = helpers_of(everything)
    by_number = {(kind, number): sentence for kind, number, sentence in
                 re.findall(r'\.(constraint|input)\((\d+)\),\s*"(.*?)"', everything)}
    ops = {}
    for path in sorted(HEADERS.glob("ops/*/*.hpp")):
        text = strings_joined(path.read_text())
        words = dict(re.findall(r'constexpr const char\*\s*(\w+)\s*=\s*"(.*?)";', text))
        lists = dict(re.findall(r"\w*labels (\w+)(\{.*?\});", text, re.S))
        for struct, body in re.findall(r"\nstruct (\w+)(?: : \w+)? \{\n(.*?)\n\};", text, re.S):
            name = re.search(r'\bname = "([\w-]+)"', body)
            if not name or "is_internal = true" in body:
                continue
            op = Op(name[1].replace("-", "_"), "chlo" if 'dialect = "chlo"' in body else "stablehlo", struct,
                    str(path.relative_to(HEADERS)))
            found = {}
            for label, sentence, word in re.findall(r'\(\s*"(\w+)",\s*(?:"(.*?)"|(\w+),)', body):
                found.setdefault(label, sentence or words.get(word))
            for labels, sentence in re.findall(r'\?((?: (?:: )?"\w+")+),\s*"(.*?)"', body):
                for label in re.findall(r'"(\w+)"', labels):
                    found.setdefault(label, sentence)
            for rule, label, kind, who in re.findall(r'check_kind\((\w+), "(\w+)", accepts::(\w+), (\w+)', body):
                found.setdefault(label, f"{who}: {kinds[kind]}")
            for label, sentence in re.findall(r'\(\s*rule,\s*"(\w+)",\s*"(.*?)"', body):
                found.setdefault(label, sentence)
            for helper, word in (("infer_same_baseline", "baseline_type"), ("infer_same_type", "type")):
                for _, labels, kind, *operands in arguments_of_calls(body, helper):
                    sides = " = ".join(f"{word}({each})" for each in [*operands, "result"])
                    for label, what in zip(re.findall(r'"(\w+)"', labels), [*operands, None, "result"]):
                        found.setdefault(label, f"{what}: {kinds[kind.split('::')[-1]]}" if what else sides)
            for helper, uses in helpers.items():
                for arguments in arguments_of_calls(body, helper):
                    for use in uses:
                        given = arguments[use.position] if use.position < len(arguments) else ""
                        for label, sentence in zip(re.findall(r'"(\w*)"', lists.get(given, given)), use.sentences):
                            if sentence:
                                found.setdefault(label, sentence)
            if f"rule_labels::of<ops::{struct}>" in text or f"rule_labels::of<{struct}>" in text:
                for (kind, number), sentence in by_number.items():
                    found.setdefault(f"{op.name}_{kind[0]}{number}", sentence)
            found = {label: sentence for label, sentence in found.items() if sentence and label.startswith(op.name)}
            op.rules = [Rule(label, found[label]) for label in sorted(found, key=order_of_label)]
            mentioned = set(re.findall(rf'"({op.name}_[cio]\d+)"', text)) - set(found)
            op.lacking = sorted(mentioned)
            ops[op.name] = op
    return ops


def order_of_label(label):
    """Operands, constraints, results, others."""
    found = re.search(r"_([cio])(\d+)$", label)
    return ("ico".index(found[1]), int(found[2]), "") if found else (3, 0, label)


def examples():
    """Code and output by function: sections of the programs, which begin with example("name")."""
    code, output, given = {}, {}, {}
    for path in sorted(EXAMPLES.glob("*.cpp")):
        text = path.read_text()
        found = re.search(r"  // Given\.\n(.*?)\n\n", text, re.S)
        given[path.stem] = re.sub(r"(?m)^  ", "", found[1]) if found else ""
        for name, section in re.findall(r'  example\("(\S+)"\);\n(.*?)(?=\n\n?  example\(|\n\}\n)', text, re.S):
            code[name] = (path.stem, "\n".join(line.removeprefix("  ") for line in section.strip("\n").split("\n")))
    current = None
    for line in (EXAMPLES / "reference.expected").read_text().splitlines():
        if line.startswith("# "):
            current = line[2:]
            output[current] = []
        elif current:
            output[current].append(line)
    return code, {name: "\n".join(lines) for name, lines in output.items()}, given


def prose(comment):
    """A comment as markdown: indented lines are code, marked words and calls are code."""
    paragraphs, lines = [], []
    for line in comment.split("\n"):
        if line.startswith("  "):
            if lines and not lines[0].startswith("  "):
                paragraphs.append(lines)
                lines = []
            lines.append(line)
        elif not line.strip():
            if lines:
                if lines[0].startswith("  "):
                    lines.append("")
                    continue
                paragraphs.append(lines)
            lines = []
        else:
            if lines and lines[0].startswith("  "):
                paragraphs.append(lines)
                lines = []
            lines.append(line)
    if lines:
        paragraphs.append(lines)
    result = []
    for lines in paragraphs:
        if lines[0].startswith("  "):
            result.append("```c++\n" + "\n".join(line[2:] for line in lines).rstrip() + "\n```")
            continue
        text = " ".join(lines).replace("@param ", "")
        result.append("".join(part if i % 2 else code_in(part) for i, part in enumerate(re.split(r"(`[^`]*`)", text))))
    return "\n\n".join(result)


def code_in(text):
    """Calls with template arguments, types and x in running text, marked as code."""
    marked = re.sub(r"(?<![\w`])((?:\w|::)+<(?:[^<>]|<[^<>]*>)*>(?:\{[^{}]*\})?(?:\((?:[^()]|\([^()]*\))*\))?"
                    r"|[a-z]\w*\((?:[^()]|\([^()]*\))*\))", r"`\1`", text)
    parts = re.split(r"(`[^`]*`)", marked)
    return "".join(p if i % 2 else p.replace("<", "\\<").replace("*", "\\*").replace("_", "\\_")
                   for i, p in enumerate(parts))


def table_of(rules):
    rows = ["| label | rule |", "|---|---|"]
    for rule in rules:
        rows.append(f"| [`{rule.label}`]({rule.label}) | {rule.sentence.replace('|', chr(92) + '|').replace('<', '&lt;')} |")
    return "\n".join(rows)


def main(folder):
    folder = Path(folder)
    (folder / "reference").mkdir(parents=True, exist_ok=True)
    ops = rules_of_ops()
    by_function = {name: op for op in ops.values() for name in (op.struct, op.name, op.name + "_")}
    code, output, given = examples()
    gaps, where, shown_examples = [], {}, set()

    for page, (title, about, sources) in PAGES.items():
        paths = [p for source in sources for p in
                 sorted(HEADERS.glob(source + ("" if source.endswith(".hpp") else "/*.hpp")))]
        of_ops = sources[0].startswith("ops/") and sources[0].count(".") == 0
        entries = {}
        for path in paths:
            for item in items_of(path):
                if of_ops and (item.kind != "function" or by_function.get(item.name) is None):
                    continue
                entries.setdefault(item.name, []).append(item)
        text = [f"# {title}", about]
        needed = {code[name][0] for name in entries if name in code}
        shared = list(dict.fromkeys(given[stem] for stem in sorted(needed) if given[stem]))
        if shared:
            text.append("The examples of this page have\n\n```c++\n" + "\n".join(shared) + "\n```")
        for name, items in entries.items():
            first = items[0]
            where.setdefault(name, f"reference/{page}.md")
            if of_ops:
                op = by_function[name]
                op.function, op.comment, op.page = name, first.comment, f"reference/{page}.md"
            comment = "\n".join(dict.fromkeys(i.comment for i in items if i.comment)) if first.kind == "function" \
                else first.comment
            if not comment and first.kind == "function":
                gaps.append(f"{first.header}: {name} has no comment")
            text.append(f"## `{name}`")
            if first.kind == "class":
                text += [prose(comment), "```c++\n" + synopsis_of(first) + "\n```"]
            elif first.kind == "macro":
                text += [prose(comment)]
            elif first.kind == "variable":
                text += ["```c++\n" + without_comments(first.text).strip() + "\n```", prose(comment)]
            else:
                calls = list(dict.fromkeys(call_of(i) for i in items))
                text += ["```c++\n" + "\n".join(calls) + "\n```", prose(comment)]
            header = f"`<tenon/{first.header}>`"
            op = by_function.get(name) if of_ops else None
            if op:
                at = f"[{op.name}](https://openxla.org/stablehlo/spec#{op.name})" if op.dialect == "stablehlo" else \
                    f"`chlo.{op.name}`"
                header = f"Op: {at}. In {header}."
            else:
                header = f"In {header}."
            text.append(header)
            if name in code:
                shown_examples.add(name)
                text.append("```c++\n" + code[name][1] + "\n```")
                if output.get(name):
                    text.append("```text\n" + output[name] + "\n```")
            elif first.kind == "function" and (of_ops or page == "arrays"):
                gaps.append(f"{first.header}: {name} has no example in {EXAMPLES.relative_to(ROOT)}")
            if op and op.rules:
                text.append("Rules; what breaks one does not compile:\n\n" + table_of(op.rules))
        (folder / "reference" / f"{page}.md").write_text("\n\n".join(t for t in text if t) + "\n")

    for op in ops.values():
        gaps += [f"{op.header}: the sentence of {label} was not found" for label in op.lacking]
    for name in sorted(set(code) - shown_examples):
        gaps.append(f"examples/reference: an example for {name}, which the reference does not have")

    lines = ["# Reference", "Every public function and class, from the comments at the code."]
    for page, (title, about, _) in PAGES.items():
        lines.append(f"## [{title}]({page}.md)\n\n" + " · ".join(
            f"[`{name}`]({page}.md#{anchor_of(name)})" for name, at in where.items()
            if at == f"reference/{page}.md" and not name.startswith("operator")))
    lines.append("```{toctree}\n:hidden:\n\n" + "\n".join(f"{title} <{page}>" for page, (title, _, _) in PAGES.items()) + "\n```")
    (folder / "reference" / "index.md").write_text("\n\n".join(lines) + "\n")

    write_errors(folder, ops)
    write_stablehlo(folder, ops)
    total = len(where)
    print(f"reference: {total} functions and classes, {len(ops)} ops, "
          f"{sum(len(op.rules) for op in ops.values())} rules, {len(gaps)} gaps")
    for gap in gaps:
        print(gap, file=sys.stderr)
    return 1 if gaps else 0


def anchor_of(name):
    """As GitHub makes them of headings."""
    return name.lower().replace(":", "")


def write_errors(folder, ops):
    text = ["# Errors by label",
            "A message names a rule by its label: the op, then `c` and the number of a constraint of the "
            "[specification](https://openxla.org/stablehlo/spec), `i` and the number of an operand or attribute, or "
            "`o` for a result. Here are those of all ops, with the rule as the message has it; readers of text have more."]
    for name in sorted(ops):
        op = ops[name]
        if not op.rules:
            continue
        link = f"\n\nFunction: [`{op.function}`]({op.page}#{anchor_of(op.function)})." if op.function else ""
        text.append(f"## {name}{link}")
        for rule in op.rules:
            sentence = rule.sentence.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_").replace("[", "\\[")
            text.append(f"({rule.label})=\n`{rule.label}`\n: {sentence}")
    text.append("## Other labels\n\nOf what is wrong with a call, and is no rule of an op. Words in dots depend on the call.")
    for label, sentences in sorted(labels_of_calls().items()):
        listed = "\n: ".join(sentence.replace("<", "\\<").replace("*", "\\*").replace("_", "\\_") for sentence in sentences)
        text.append(f"({label})=\n`{label}`\n: {listed}")
    (folder / "errors.md").write_text("\n\n".join(text) + "\n")


def labels_of_calls():
    """What complain("label", parts...), require_rule(x, "label", sentence, ...) and refusals say, by label."""
    found = {}
    for header in sorted(HEADERS.rglob("*.hpp")):
        text = re.sub(r"^ *//.*\n", "", header.read_text(), flags=re.M)
        constants = re.findall(r'const char\* (\w+) = ("[^"]*")', text)
        for call in re.finditer(r"\b(complain|require_rule|refuse)\(", text):
            depth, at = 1, call.end()
            while depth > 0 and at < len(text):
                string = re.compile(r'"(?:[^"\\]|\\.)*"').match(text, at)
                depth += {"(": 1, ")": -1}.get(text[at], 0)
                at = string.end() if string else at + 1
            said = text[call.end():at - 1]
            for name, sentence in constants:
                said = re.sub(rf"\b{name}\b", sentence, said)
            if call[1] == "refuse" and "core" in header.parts:
                said = '"memory", ' + said
            label = re.match(r'[^"]*"(\w+)",(.*)', said, re.S)
            if label is None:
                continue
            parts = re.findall(r'"[^"]*"|[^",\s][^",]*', label[2])
            if call[1] == "require_rule":
                parts = parts[:1]
            sentence = "".join(part[1:-1] if part[0] == '"' else "..." for part in parts).replace(".........", "...")
            if sentence.strip(". ") and sentence not in found.setdefault(label[1], []):
                found[label[1]].append(sentence)
    return found


def write_stablehlo(folder, ops):
    text = ["# StableHLO → tenon",
            "Every op that the readers of text know, and its function in C++. Those without one occur in text, or are "
            "what the C++ language has itself. What tenon does where the specification leaves a choice is in "
            "[semantics](semantics.md)."]
    for dialect in ("stablehlo", "chlo"):
        rows = ["| op | in C++ | what it does |", "|---|---|---|"]
        for name in sorted(ops):
            op = ops[name]
            if op.dialect != dialect:
                continue
            shown = f"[`{op.function}`]({op.page}#{anchor_of(op.function)})" if op.function else "in text"
            comment = re.sub(rf"^`?{op.function}\b[^:]*(::[^:]*)*: ", "", " ".join(op.comment.split()))
            sentence = re.split(r"\.(?= [A-Za-z]|$)", comment)[0]
            sentence = sentence[:1].upper() + sentence[1:]
            rows.append(f"| `{name}` | {shown} | {prose(sentence).replace('|', chr(92) + '|')} |")
        text += [f"## {'StableHLO' if dialect == 'stablehlo' else 'CHLO'}", "\n".join(rows)]
    (folder / "stablehlo.md").write_text("\n\n".join(text) + "\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
