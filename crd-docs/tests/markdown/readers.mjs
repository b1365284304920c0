// Reads pages as markdown-it, commonmark.js, marked and MDX read them, and prints everything that is not there on purpose.
// readers.mjs FILE: each line is a JSON object with a page and the words that its fields are described with.
import {createProcessor} from '@mdx-js/mdx'
import * as commonmark from 'commonmark'
import MarkdownIt from 'markdown-it'
import {marked} from 'marked'
import fs from 'node:fs'
import remarkDirective from 'remark-directive'
import remarkGfm from 'remark-gfm'

// Some readers make links of addresses of mail, which are in the text.
const isWeb = (url) => /^(https?|mailto):/i.test(url ?? '')
// What steps before Markdown look for.
const before = /\{\{|\{%|\{!|8<-|<!--|`{3,4} *mdx-code-block/
// Docusaurus takes the identifiers of headings away before it reads MDX.
const withoutIds = (page) => page.replace(/^(#{1,6} .*?) \{#[^}\n]*\}$/gm, '$1')

/** What a reader made of a page: the words below each heading, and what should not be there. */
class Seen {
  constructor() {
    this.sections = []
    this.found = []
  }
  heading() {
    this.sections.push('')
  }
  text(text) {
    if (this.sections.length) this.sections[this.sections.length - 1] += text
  }
  strange(kind, detail) {
    this.found.push(`${kind} ${JSON.stringify(String(detail ?? '').slice(0, 80))}`)
  }
}

const markdownIt = (options) => {
  const reader = new MarkdownIt(options)
  const silent = /^(paragraph|bullet_list|list_item)_(open|close)$|^(inline|heading_close|link_close|hardbreak)$/
  return (page, seen) => {
    const walk = (tokens) => {
      for (const {type, content, children, ...token} of tokens) {
        if (type === 'heading_open') seen.heading()
        else if (/^(text|code_inline|fence)$/.test(type)) {
          // VitePress evaluates braces in text.
          if (type === 'text' && content.includes('{{')) seen.strange('expression', content)
          seen.text(content)
        } else if (type === 'link_open') {
          const href = Object.fromEntries(token.attrs).href
          if (!isWeb(href) || token.attrs.length > 1) seen.strange('link', href)
        } else if (!silent.test(type)) seen.strange(type, content)
        if (children) walk(children)
      }
    }
    walk(reader.parse(page, {}))
  }
}

const commonmarkJs = (page, seen) => {
  const walker = new commonmark.Parser().parse(page).walker()
  for (let event; (event = walker.next()); ) {
    const {type, literal, destination, listType} = event.node
    if (!event.entering) continue
    if (type === 'heading') seen.heading()
    else if (/^(text|code|code_block)$/.test(type)) seen.text(literal)
    else if (type === 'link' ? !isWeb(destination) : type === 'list' ? listType !== 'bullet' : !/^(document|paragraph|item|linebreak)$/.test(type)) {
      seen.strange(type, literal ?? destination)
    }
  }
}

const decoded = (text) => text.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
const markedJs = (page, seen) => {
  const walk = (tokens) => {
    for (const token of tokens) {
      const {type, text} = token
      if (type === 'heading') seen.heading()
      if (type === 'link' ? !isWeb(token.href) : type === 'list' ? token.ordered : !/^(space|heading|paragraph|text|list_item|code|codespan|br)$/.test(type)) {
        seen.strange(type, token.raw)
      }
      if (token.task || token.checked) seen.strange('task', token.raw)
      if (type === 'list') walk(token.items)
      else if (token.tokens) walk(token.tokens)
      else if (/^(code|codespan)$/.test(type)) seen.text(text)
      else if (type === 'text') seen.text(decoded(token.raw))
    }
  }
  walk(marked.lexer(page))
}

const mdx = (plugins) => {
  const processor = createProcessor({remarkPlugins: plugins})
  return (page, seen) => {
    const walk = (node) => {
      const {type, value, url, title, ordered, checked} = node
      if (type === 'heading') seen.heading()
      if (/^(text|inlineCode|code)$/.test(type)) seen.text(value)
      else if (type === 'link' ? !isWeb(url) || title : type === 'list' ? ordered : !/^(root|heading|paragraph|listItem|break)$/.test(type)) {
        seen.strange(type, value ?? url ?? node.name)
      }
      if (typeof checked === 'boolean') seen.strange('task')
      for (const child of node.children ?? []) walk(child)
    }
    walk(processor.parse(withoutIds(page)))
  }
}

const readers = {
  'markdown-it': markdownIt({html: true}),
  'markdown-it with links': markdownIt({html: true, linkify: true, typographer: false}),
  commonmark: commonmarkJs,
  marked: markedJs,
  mdx: mdx([]),
  'mdx of Docusaurus': mdx([remarkGfm, remarkDirective]),
}
// Code that became text is in quotes; blanks do not count.
const plain = (text) => text.replace(/[\s"\u200b]/gu, '')

for (const [number, line] of fs.readFileSync(process.argv[2], 'utf8').trim().split('\n').entries()) {
  const {page, words} = JSON.parse(line)
  const report = (reader, what) => console.log(JSON.stringify({reader, line: number + 1, ...what}))
  if (before.test(page)) report('steps before Markdown', {what: page.match(before)[0]})
  for (const [name, read] of Object.entries(readers)) {
    const seen = new Seen()
    try {
      read(page, seen)
    } catch (error) {
      seen.strange('error', error.message)
    }
    if (seen.found.length) report(name, {what: seen.found.slice(0, 3)})
    const sections = seen.sections.slice(-words.length)
    words.forEach((expected, at) => {
      const found = plain(sections[at] ?? '')
      // The name of a field is in its heading.
      if (!found.endsWith(plain(expected)) || found.length > plain(expected).length + 30) {
        report(name, {what: 'other words', field: at, expected: plain(expected), found})
      }
    })
  }
}
