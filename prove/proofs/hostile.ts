import { connect } from 'node:net'
import { billOf } from '../prices.ts'
import type { Finding, Proof } from '../proof.ts'
import type { Target } from '../target.ts'

interface Attack {
  name: string
  /** The whole request, as bytes of latin1. */
  text: string
}

/** Requests that broke other gateways, word for word or nearly so. */
function attacks(key: string, door: string, model: string): Attack[] {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] })
  const bearers = [
    ['SQL in the key', "gw_live_' OR '1'='1"],
    ['SQL that deletes', "gw_live_x'; DROP TABLE keys; --"],
    ['a key that begins like a real one', key.slice(0, -1)],
    ['a real key with more behind it', `${key}0`],
    ['a real key with a blank in it', `${key.slice(0, 12)} ${key.slice(12)}`],
    ['a real key, upper case', key.toUpperCase()],
    ['a real key that is padded', key.padEnd(72, 'A')],
    ['two keys', `${key}, ${key}`],
    ['a token that is signed by nobody', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.'],
    ['a name of JavaScript', '__proto__'],
    ['no key', ''],
  ] as const
  const hosts = ['x/#@y', 'evil.example', '127.0.0.1:1@evil.example', '[::1', 'a b', '']
  const chat = (lines: string) =>
    `POST /v1/chat/completions HTTP/1.1\r\n${lines}content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`
  const admin = (path: string, lines: string) => `GET ${path} HTTP/1.1\r\n${lines}connection: close\r\n\r\n`
  return [
    ...bearers.map(([name, value]) => ({ name, text: chat(`host: x\r\nauthorization: Bearer ${value}\r\n`) })),
    ...bearers.map(([name, value]) => ({
      name: `${name}, for an administrator`,
      text: admin(door, `host: x\r\nauthorization: Bearer ${value}\r\n`),
    })),
    ...hosts.map((host) => ({ name: `Host: ${host}`, text: admin(door, `host: ${host}\r\n`) })),
    { name: 'a path around the door', text: admin(`/v1/..${door}`, 'host: x\r\n') },
    { name: 'an encoded path around the door', text: admin(`/%2e%2e${door}`, 'host: x\r\n') },
    { name: 'an absolute path', text: admin(`http://127.0.0.1${door}`, 'host: x\r\n') },
    { name: 'a gateway key for an administrator', text: admin(door, `host: x\r\nauthorization: Bearer ${key}\r\n`) },
    {
      name: 'two lengths',
      text: `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: 3\r\ncontent-length: 30\r\n\r\n${body}`,
    },
    {
      name: 'a length and chunks',
      text: `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET ${door} HTTP/1.1\r\n\r\n`,
    },
  ]
}

/** Wrong keys, names and lines, of which each opened or stopped some gateway. */
export const hostile: Proof = {
  id: 'hostile',
  name: 'hostile requests',
  promise: 'A forged key opens nothing, whatever it contains, and other callers are not disturbed.',
  refutedBy: 'An answer other than a refusal, a changed key, or a gateway that no longer serves.',
  run: tried,
  at: tried,
}

async function tried(bench: Target): Promise<Finding> {
  const key = await bench.newKey()
  const good = { model: 'plain', messages: [{ role: 'user', content: 'hello' }] }
  // Known from now on, to whatever remembers keys.
  if ((await bench.ask(key.value, good)).status !== 200) throw new Error('a right call was not served')
  const before = await bench.keyIds()
  const problems: string[] = []
  const all = attacks(key.value, bench.adminPath, bench.modelOf('plain'))
  for (const { name, text } of all) {
    const answer = await send(bench, text)
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)
    // A closed connection is a refusal as well.
    if (answer !== '' && (status < 400 || status >= 500)) problems.push(`${name}: answered ${answer.slice(0, 40)}`)
  }
  if ((await bench.ask(key.value, good)).status !== 200) problems.push('a right call is no longer served')
  if (before.join() !== (await bench.keyIds()).join()) problems.push('there are other keys than before')
  const calls = await bench.calls(key)
  if (calls !== null && calls !== 2) problems.push(`the log has ${calls} calls of the key that made 2`)
  const billed = billOf(bench.simulator.bill)
  const spent = await bench.spent(key, (sum) => sum === billed)
  if (spent !== billed) problems.push('the key has spent something else than its 2 calls cost')
  return { figures: { attacks: all.length, refused: all.length - problems.length }, problems }
}

function send(bench: Target, text: string): Promise<string> {
  const { hostname, port } = new URL(bench.url())
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.write(text, 'latin1'))
    socket.setTimeout(10_000, () => socket.destroy())
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
      // Nothing more is asked on this connection.
      if (answer.includes('\r\n\r\n')) socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(answer))
  })
}
