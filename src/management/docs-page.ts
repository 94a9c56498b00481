import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import type { Reply } from '../http/call.ts'
import type { Operation } from './contract/operation.ts'

const STYLE = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); }
body { font: 15px/1.55 system-ui, sans-serif; max-width: 62rem; margin: 0 auto; padding: 2rem 1rem 6rem; }
h1 { font-size: 1.7rem; margin-bottom: .2rem; } h2 { margin: 2.6rem 0 .4rem; border-bottom: 1px solid var(--line); }
nav a { margin-right: .9rem; } details { border: 1px solid var(--line); border-radius: 8px; margin: .5rem 0; }
summary { cursor: pointer; padding: .55rem .8rem; display: flex; flex-wrap: wrap; gap: .2rem .8rem; }
summary b { font: 600 13px/1.8 ui-monospace, monospace; min-width: 4.2rem; } summary code { min-width: 17rem; }
code, pre, td:first-child { font: 13px/1.6 ui-monospace, monospace; }
section { padding: 0 .9rem .8rem; overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
td { border-top: 1px solid var(--line); padding: .25rem .6rem .25rem 0; vertical-align: top; } h4 { margin: .9rem 0 .2rem; }
section code, pre { overflow-wrap: anywhere; white-space: pre-wrap; }
summary::before { content: '▸'; width: .7rem; } details[open] summary::before { content: '▾'; }
.post b { color: light-dark(#16803c, #4ade80); } .put b, .patch b { color: light-dark(#a16207, #facc15); }
.delete b { color: light-dark(#c02626, #f87171); } .get b { color: light-dark(#2563eb, #7dabff); }
`

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
}

/** `/docs`: the contract as a page for people, without a script; made a row a turn, for calls wait meanwhile. */
export async function docsPage(operations: Record<string, Operation>, version: string): Promise<Reply> {
  const tags = [...new Set(Object.values(operations).map((operation) => operation.tag))]
  const links = tags.map((tag) => `<a href="#${slug(tag)}">${html(tag)}</a>`).join(' ')
  const groups: string[] = []
  for (const tag of tags) {
    groups.push(`<h2 id="${slug(tag)}">${html(tag)}</h2>`)
    for (const operation of Object.values(operations).filter((row) => row.tag === tag)) {
      groups.push(operationHtml(operation))
      await nextTurn()
    }
  }
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Switchyard management API</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><style>${STYLE}</style>
<h1>Switchyard management API</h1>
<p>Version ${html(version)}. Send an admin key: <code>Authorization: Bearer gw_admin_…</code>.
Machine-readable: <a href="/openapi.json">/openapi.json</a>.</p>
<p>Applications call <code>POST /v1/chat/completions</code> and <code>GET /v1/models</code> at the same address with a gateway
key: <code>Authorization: Bearer gw_live_…</code>.</p>
<nav>${links}</nav>${groups.join('')}</html>`
  return { status: 200, headers: HEADERS, body }
}

function operationHtml(operation: Operation): string {
  const { method, path, summary } = operation
  const answer = operation.stream?.join(' or ') ?? (operation.status === 204 ? 'nothing' : null)
  return `<details class="${method.toLowerCase()}"><summary><b>${method}</b><code>${html(path)}</code>
<span>${html(summary)}</span></summary><section>${operation.isPublic ? '<p>Takes no admin key in a header.</p>' : ''}
${fields('Path', operation.params)}${fields('Query', operation.query)}${bodyHtml(operation)}
<h4>Answer ${operation.status}${operation.hasVersion ? ', with an ETag' : ''}</h4>
${answer === null ? fields('', operation.reply) : `<p>${html(answer)}</p>`}</section></details>`
}

function bodyHtml(operation: Operation): string {
  return operation.body.type === 'undefined' ? '' : fields('Body', operation.body)
}

/** The top level of a schema as a table; deeper levels as compact JSON Schema. */
function fields(title: string, type: z.ZodType): string {
  const schema = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as {
    properties?: Record<string, { description?: string }>
    required?: string[]
  }
  if (schema.properties === undefined) {
    return `${title && `<h4>${title}</h4>`}<pre>${html(compact(schema))}</pre>`
  }
  const rows = Object.entries(schema.properties).map(([name, property]) => {
    const need = schema.required?.includes(name) === true ? '' : ' <small>optional</small>'
    const { description, ...shape } = property
    return `<tr><td>${html(name)}${need}<td><code>${html(compact(shape))}</code> ${html(description ?? '')}`
  })
  if (rows.length === 0) return ''
  return `${title && `<h4>${title}</h4>`}<table>${rows.join('')}</table>`
}

function compact(schema: object): string {
  const { $schema: _dialect, additionalProperties: _strict, ...rest } = schema as Record<string, unknown>
  const text = JSON.stringify(rest, withoutNoise)
  return text.length > 400 ? `${text.slice(0, 400)}…` : text
}

/** Bounds of every integer, and the pattern behind a format that has a name, tell a reader nothing. */
function withoutNoise(this: Record<string, unknown>, name: string, value: unknown): unknown {
  if (name === 'pattern' && 'format' in this) return undefined
  if (name === 'minimum' && value === Number.MIN_SAFE_INTEGER) return undefined
  return name === 'maximum' && value === Number.MAX_SAFE_INTEGER ? undefined : value
}

function slug(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, '-')
}

function html(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
