/** A request as Node's own parser reads it. */
export interface ParsedRequest {
  method: string
  path: string
  /** Names in lower case, in their order. */
  fields: [name: string, value: string][]
  body: string
  isComplete: boolean
}

export interface Parsed {
  requests: ParsedRequest[]
  isRejected: boolean
}

interface RawParser {
  [event: number]: unknown
  initialize(type: number, resource: object): void
  execute(bytes: Buffer): number | Error
  close(): void
}

const common = process.getBuiltinModule('_http_common' as 'node:http') as unknown as {
  methods: string[]
  HTTPParser: { new (): RawParser } & Record<
    'REQUEST' | 'kOnHeaders' | 'kOnHeadersComplete' | 'kOnBody' | 'kOnMessageComplete',
    number
  >
}
const { HTTPParser, methods } = common

/** What Node's HTTP server would read of these bytes, without its sockets and streams. */
export function parseLikeNode(bytes: Buffer): Parsed {
  const parser = new HTTPParser()
  const requests: ParsedRequest[] = []
  let raw: string[] = []
  parser.initialize(HTTPParser.REQUEST, {})
  // With many fields, the first ones are delivered before the others.
  parser[HTTPParser.kOnHeaders] = (fields: string[]) => {
    raw.push(...fields)
  }
  parser[HTTPParser.kOnHeadersComplete] = (...reported: unknown[]) => {
    const [, , fields, method, path] = reported as [number, number, string[] | undefined, number, string]
    raw.push(...(fields ?? []))
    requests.push({ method: methods[method] ?? '', path, fields: pairs(raw), body: '', isComplete: false })
    raw = []
    return 0
  }
  parser[HTTPParser.kOnBody] = (piece: Buffer) => {
    const request = requests.at(-1)
    if (request !== undefined) request.body += piece.toString('latin1')
  }
  parser[HTTPParser.kOnMessageComplete] = () => {
    const request = requests.at(-1)
    if (request !== undefined) request.isComplete = true
    raw = []
  }
  const outcome = parser.execute(bytes)
  parser.close()
  return { requests, isRejected: outcome instanceof Error }
}

function pairs(raw: readonly string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [
    (raw[2 * index] ?? '').toLowerCase(),
    raw[2 * index + 1] ?? '',
  ])
}
