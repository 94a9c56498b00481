import { spawn } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PROGRAM } from '../built-program.ts'
import { COMPILE_CACHE } from '../compile-cache.ts'
import { ADMIN_KEY } from '../harness.ts'

/** A small generator, so that a failure can be repeated. */
export function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Runs the command once. `onStart` gets the way to kill it. */
export async function runFeed(
  args: string[],
  url: string,
  environment: Record<string, string> = {},
  onStart = (_kill: () => void) => {},
): Promise<{ code: number | null; said: string }> {
  const env = { PATH: process.env['PATH'] ?? '', ...COMPILE_CACHE, SWITCHYARD_URL: url, ADMIN_KEY, ...environment }
  const child = spawn(process.execPath, [PROGRAM, 'feed', ...args], { env })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  onStart(() => child.kill('SIGKILL'))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, said }
}

export async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Between the command and a gateway: few rows an answer, and a kill with or after one of them. */
export function killingProxy(gatewayUrl: string, pick: (below: number) => number) {
  const state = { countdown: 0, kill: () => {} }
  const headers = { authorization: `Bearer ${ADMIN_KEY}` }
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '').replace(/limit=\d+/, `limit=${1 + pick(9)}`)
    const answer = await fetch(gatewayUrl + path, { headers })
    const text = await answer.text()
    state.countdown -= 1
    response.writeHead(answer.status, { 'content-type': 'application/x-ndjson' })
    if (state.countdown === 0 && pick(2) === 0) {
      response.write(text.slice(0, text.length / 2), state.kill)
    } else {
      response.end(text, state.countdown === 0 ? state.kill : undefined)
    }
  })
  return { server, state }
}

/** A store that keeps what it is given, and refuses what is not signed. */
export function objectStore() {
  const objects = new Map<string, Buffer>()
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    if (!/^AWS4-HMAC-SHA256 Credential=AK\/\d{8}\/eu-1\/s3\//.test(String(request.headers.authorization))) {
      response.writeHead(403).end()
      return
    }
    if (request.method === 'PUT') objects.set(request.url ?? '', body)
    const found = objects.get(request.url ?? '')
    response.writeHead(found === undefined ? 404 : 200).end(found)
  })
  const settings = (url: string) => ({
    ...{ AWS_ENDPOINT_URL: url, AWS_REGION: 'eu-1', AWS_ACCESS_KEY_ID: 'AK', AWS_SECRET_ACCESS_KEY: 'secret' },
  })
  return { server, objects, settings }
}
