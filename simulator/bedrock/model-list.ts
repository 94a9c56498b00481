import type { Answer } from '../answer.ts'

const MODELS: [id: string, output: string][] = [
  ['amazon.nova-pro-v1:0', 'TEXT'],
  ['amazon.nova-2-lite-v1:0', 'TEXT'],
  ['openai.gpt-oss-120b-1:0', 'TEXT'],
  ['anthropic.claude-sonnet-4-5-20250929-v1:0', 'TEXT'],
  ['amazon.titan-embed-text-v2:0', 'EMBEDDING'],
]
const PROFILES = [
  'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  'us.amazon.nova-pro-v1:0',
  'global.amazon.nova-2-lite-v1:0',
]
const PAGE = 2

/** The control plane: models, and the profiles by which many of them are called. Null for other paths. */
export function listAnswer(url: URL): Answer | null {
  if (url.pathname === '/foundation-models') {
    const modelSummaries = MODELS.map(([modelId, output]) => ({
      modelId,
      modelArn: `arn:aws:bedrock:us-east-1::foundation-model/${modelId}`,
      outputModalities: [output],
      responseStreamingSupported: output === 'TEXT',
      modelLifecycle: { status: 'ACTIVE' },
    }))
    return { status: 200, body: { modelSummaries } }
  }
  if (url.pathname !== '/inference-profiles') return null
  const start = Number(url.searchParams.get('nextToken') ?? '0')
  const inferenceProfileSummaries = PROFILES.slice(start, start + PAGE).map((inferenceProfileId) => ({
    inferenceProfileId,
    status: 'ACTIVE',
    type: 'SYSTEM_DEFINED',
  }))
  const next = start + PAGE < PROFILES.length ? { nextToken: String(start + PAGE) } : {}
  return { status: 200, body: { inferenceProfileSummaries, ...next } }
}
