import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { parseSync } from 'rolldown/utils'

/** Idioms that read as translated, wherever a person reads: usual words of the field instead. */
const BANNED =
  /\b(whoever|whomever|anew|of late|somebody|anybody|shall|(?:is|are|be|was|were) told|will stand|stands? here|by itself|passed over|in words|reckoned|nobody (?:is|has|knows))\b/i

/** These are right in a sentence for a user now and then; comments do without them. */
const BANNED_IN_COMMENTS = new RegExp(
  String.raw`${BANNED.source}|\b(nobody|whom|all the same|by then|any more|hears? of|heard of)\b`,
  'i',
)

/** What is right as it is, with the reason. */
const ALLOWED: readonly { where: RegExp; text: RegExp }[] = []

interface Node {
  type: string
  value?: unknown
  [key: string]: unknown
}

/** Literals, templates and the text between tags of a source file, and its comments. */
function textsOf(file: string): { texts: string[]; comments: string[] } {
  const { program, comments } = parseSync(file, readFileSync(file, 'utf8'))
  const texts: string[] = []
  const walk = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return
    const { type, value } = node as Node
    if (type === 'ImportDeclaration') return
    if ((type === 'Literal' || type === 'JSXText') && typeof value === 'string') texts.push(value)
    if (type === 'TemplateElement') texts.push((value as { raw: string }).raw)
    for (const inner of Object.values(node)) if (typeof inner === 'object') walk(inner)
  }
  walk(program)
  return { texts, comments: comments.map(({ value }) => value.replace(/\n\s*\*/g, ' ')) }
}

function bannedIn(file: string, texts: readonly string[], banned = BANNED): string[] {
  return texts.flatMap((text) => {
    const line = text.replace(/\s+/g, ' ')
    const found = banned.exec(line)
    if (found === null || ALLOWED.some(({ where, text: allowed }) => where.test(file) && allowed.test(line))) return []
    return [`${file}: "${found[0]}" in "${line.slice(Math.max(0, found.index - 60), found.index + 60)}"`]
  })
}

describe('what a person reads has none of the idioms that read as translated', () => {
  test('dashboard, errors, command line, logs', () => {
    const files = globSync('{src,dashboard/src,demo}/**/*.{ts,tsx}').filter(
      (file) => !/\.test\.ts$|\.d\.ts$/.test(file),
    )
    assert.ok(files.length > 500, `${files.length} files`)
    assert.deepEqual(
      files.flatMap((file) => bannedIn(file, textsOf(file).texts)),
      [],
    )
  })

  test('comments', () => {
    const files = globSync('{src,dashboard/src,demo,simulator,bench,scripts,test}/**/*.{ts,tsx}')
    assert.ok(files.length > 1500, `${files.length} files`)
    assert.deepEqual(
      files.flatMap((file) => bannedIn(file, textsOf(file).comments, BANNED_IN_COMMENTS)),
      [],
    )
  })

  test('README and docs', () => {
    const pages = globSync(['*.md', 'docs/**/*.md'])
    assert.ok(pages.length > 40, `${pages.length} pages`)
    assert.deepEqual(
      pages.flatMap((page) => bannedIn(page, readFileSync(page, 'utf8').split(/\n\n|\n\|/))),
      [],
    )
  })
})

test('the list finds what it is for, in every form of text', () => {
  const texts = ['Nobody is told yet', 'Encrypt\n  anew', 'How long shall it work?']
  assert.equal(bannedIn('x.ts', texts).length, texts.length)
  assert.deepEqual(bannedIn('x.ts', ['No one has signed in', 'Someone changed this']), [])
  assert.equal(bannedIn('x.ts', ['Used by nobody', 'It has ended by then'], BANNED_IN_COMMENTS).length, 2)
})
