"""Reads pages as Python-Markdown reads them with the extensions of MkDocs, and prints everything that is not there on purpose.

readers.py FILE: each line is a JSON object with a page and the words that its fields are described with.
"""
import html.parser
import json
import os
import sys
import tempfile

import markdown

MARKER = "CONTENTS OF A FILE"
# The elements that pages have, with their attributes.
ELEMENTS = {"h1": ["id"], "h2": ["id"], "h3": ["id"], "a": ["href"], "code": ["class"], "pre": [], "p": [], "ul": [], "li": [], "br": []}
HIGHLIGHTED = {**ELEMENTS, "div": ["class"], "pre": ["class"], "span": ["class"]}


class Reader(html.parser.HTMLParser):
    def __init__(self, elements):
        super().__init__()
        self.elements, self.found, self.sections = elements, [], []

    def handle_starttag(self, tag, attrs):
        known = self.elements.get(tag)
        if known is None or any(name not in known for name, _ in attrs):
            self.found.append(self.get_starttag_text())
        if tag == "a" and not dict(attrs).get("href", "").lower().startswith(("http:", "https:", "mailto:")):
            self.found.append(self.get_starttag_text())
        if tag in ("h1", "h2", "h3"):
            self.sections.append("")

    def handle_data(self, data):
        if self.sections:
            self.sections[-1] += data

    def handle_comment(self, data):
        self.found.append(f"<!--{data}")

    handle_decl = handle_pi = unknown_decl = handle_comment


def plain(text):
    return "".join(char for char in text if char.isalnum())


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name in ("secret", "a", "a.md"):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(MARKER)
        os.chdir(folder)
        snippets = {"pymdownx.snippets": {"base_path": [folder], "check_paths": False}}
        usual = markdown.Markdown(extensions=["extra", "attr_list", "admonition", "toc", "pymdownx.snippets"], extension_configs=snippets)
        more = ["attr_list", "admonition", "def_list", "footnotes", "tables", "md_in_html", "pymdownx.superfences", "pymdownx.details"]
        more += ["pymdownx.blocks.html", "pymdownx.tasklist", "pymdownx.emoji", "pymdownx.magiclink", "pymdownx.snippets"]
        readers = {
            "Python-Markdown": (usual, ELEMENTS),
            "Python-Markdown with pymdownx": (markdown.Markdown(extensions=more, extension_configs=snippets), HIGHLIGHTED),
        }
        with open(sys.argv[1], encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                item = json.loads(line)
                for name, (reader, elements) in readers.items():
                    check(f"{name}, line {number}", reader, elements, item["page"], item["words"])


def check(name, reader, elements, page, words):
    def report(**what):
        print(json.dumps({"reader": name, **what}))

    reader.reset()
    text = reader.convert(page)
    if MARKER in text:
        report(what="a file")
    seen = Reader(elements)
    seen.feed(text)
    seen.close()
    if seen.found:
        report(what=seen.found[:3])
    sections = seen.sections[-len(words):]
    for at, expected in enumerate(words):
        found, expected = plain(sections[at]) if at < len(sections) else "", plain(expected)
        # The name of a field is in its heading.
        if not found.endswith(expected) or len(found) > len(expected) + 30:
            report(what="other words", field=at, expected=expected, found=found)


main()
