import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { UPSTREAM_ANSWERS } from './bodies.ts'

/** A provider of both families that costs next to nothing: fixed bytes, whatever was asked. */
const answers = new Map(
  Object.entries(UPSTREAM_ANSWERS).map(([path, text]) => {
    const body = Buffer.from(text)
    return [path, { body, headers: ['content-type', 'application/json', 'content-length', String(body.length)] }]
  }),
)

const server = createServer((request, response) => {
  const path = request.url ?? ''
  const query = path.indexOf('?')
  const answer = answers.get(query < 0 ? path : path.slice(0, query))
  request.resume()
  // Only a whole request is answered, as a provider would.
  request.once('end', () => {
    if (answer === undefined) response.writeHead(404).end()
    else response.writeHead(200, answer.headers).end(answer.body)
  })
})
server.keepAliveTimeout = 600_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`upstream on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
