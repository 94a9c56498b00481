import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import type { Json } from '../harness.ts'
import type { pythonSession } from '../python-session.ts'

/** Parsed by the classes that OpenTelemetry publishes for its protocol: what they refuse no collector takes. */
const PARSE = `
import base64, json, os
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
request = (ExportTraceServiceRequest if os.environ["KIND"] == "traces" else ExportMetricsServiceRequest)()
request.ParseFromString(base64.b64decode(os.environ["BODY"]))
result = MessageToDict(request)
`

export interface ReceivedSpan {
  name: string
  kind: string
  traceId: string
  spanId: string
  parentSpanId: string | null
  traceState: string
  startMs: number
  endMs: number
  isError: boolean
  message: string | null
  attributes: Record<string, unknown>
  events: string[]
  resource: Record<string, unknown>
}

export interface ReceivedBody {
  path: string
  headers: NodeJS.Dict<string | string[]>
  body: Buffer
}

export type OtlpReceiver = Awaited<ReturnType<typeof startReceiver>>

/** A receiver of OTLP over HTTP. `answer`: its status. */
export async function startReceiver(
  parser: ReturnType<typeof pythonSession>,
  answer: () => number | Promise<number> = () => 200,
) {
  const bodies: ReceivedBody[] = []
  const parsed = new Map<ReceivedBody, Promise<Json>>()
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const whole = Buffer.concat(pieces)
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(whole) : whole
    const status = await answer()
    if (status === 200) bodies.push({ path: request.url ?? '', headers: request.headers, body })
    response.writeHead(status, { 'content-type': 'application/x-protobuf' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const parse = (received: ReceivedBody) => {
    const kind = received.path.endsWith('/v1/traces') ? 'traces' : 'metrics'
    const known = parsed.get(received)
    if (known !== undefined) return known
    const read = parser.run(PARSE, { KIND: kind, BODY: received.body.toString('base64') })
    parsed.set(received, read)
    return read
  }
  const read = async (path: string) => {
    const requests: Json[] = []
    for (const received of bodies.filter((each) => each.path === path)) requests.push(await parse(received))
    return requests
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    /** Of all batches so far. */
    async spans(path = '/v1/traces'): Promise<ReceivedSpan[]> {
      return (await read(path)).flatMap(({ resourceSpans }) => resourceSpans.flatMap(spansOf))
    },
    /** The newest point of each series, by the metric's name. */
    async metrics(): Promise<Record<string, Json[]>> {
      const body = bodies.findLast(({ path }) => path === '/v1/metrics')
      const newest = body === undefined ? undefined : await parse(body)
      const metrics = newest?.resourceMetrics?.flatMap((each: Json) => each.scopeMetrics[0].metrics) ?? []
      return Object.fromEntries(
        metrics.map(({ name, histogram }: Json) => [
          name,
          histogram.dataPoints.map((point: Json) => ({ ...point, attributes: attributesOf(point.attributes) })),
        ]),
      )
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function spansOf({ resource, scopeSpans }: Json): ReceivedSpan[] {
  return scopeSpans.flatMap(({ spans }: Json) =>
    spans.map((span: Json) => ({
      name: span.name,
      kind: span.kind,
      traceId: hex(span.traceId),
      spanId: hex(span.spanId),
      parentSpanId: span.parentSpanId === undefined ? null : hex(span.parentSpanId),
      traceState: span.traceState ?? '',
      startMs: Number(span.startTimeUnixNano) / 1e6,
      endMs: Number(span.endTimeUnixNano) / 1e6,
      isError: span.status?.code === 'STATUS_CODE_ERROR',
      message: span.status?.message ?? null,
      attributes: attributesOf(span.attributes),
      events: (span.events ?? []).map(({ name }: Json) => name),
      resource: attributesOf(resource.attributes),
    })),
  )
}

function hex(base64: string): string {
  return Buffer.from(base64, 'base64').toString('hex')
}

function attributesOf(list: Json): Record<string, unknown> {
  return Object.fromEntries((list ?? []).map(({ key, value }: Json) => [key, plainValue(value)]))
}

function plainValue(value: Json): unknown {
  if ('intValue' in value) return Number(value.intValue)
  if ('arrayValue' in value) return value.arrayValue.values.map(plainValue)
  return Object.values(value)[0]
}
