const CONTENT = { parts: [{ text: '…' }] }
const MESSAGES = [{ role: 'user', content: '…' }]

/** Path and fields of each endpoint; what is not listed is chat. */
const ENDPOINTS: Readonly<Record<string, { path: string; fields: object }>> = {
  chat: { path: '/v1/chat/completions', fields: { messages: MESSAGES } },
  embeddings: { path: '/v1/embeddings', fields: { input: '…' } },
  messages: { path: '/v1/messages', fields: { max_tokens: 1024, messages: MESSAGES } },
  count_tokens: { path: '/v1/messages/count_tokens', fields: { messages: MESSAGES } },
  responses: { path: '/v1/responses', fields: { input: '…' } },
  generate_content: {
    path: '/v1beta/models/{model}:generateContent',
    fields: { contents: [{ role: 'user', ...CONTENT }] },
  },
  count_content_tokens: {
    path: '/v1beta/models/{model}:countTokens',
    fields: { contents: [{ role: 'user', ...CONTENT }] },
  },
  completions: { path: '/v1/completions', fields: { prompt: '…' } },
  moderations: { path: '/v1/moderations', fields: { input: '…' } },
  transcriptions: { path: '/v1/audio/transcriptions', fields: { input_audio: { data: '…', format: 'mp3' } } },
  translations: { path: '/v1/audio/translations', fields: { input_audio: { data: '…', format: 'mp3' } } },
  images: { path: '/v1/images/generations', fields: { prompt: '…' } },
  image_edits: {
    path: '/v1/images/edits',
    fields: { prompt: '…', images: [{ image_url: 'data:image/png;base64,…' }] },
  },
  passthrough: { path: '/passthrough/…', fields: {} },
  speech: { path: '/v1/audio/speech', fields: { input: '…', voice: '…' } },
  rerank: { path: '/v1/rerank', fields: { query: '…', documents: ['…'] } },
  embed_content: { path: '/v1beta/models/{model}:embedContent', fields: { content: CONTENT } },
  batch_embed_contents: {
    path: '/v1beta/models/{model}:batchEmbedContents',
    fields: { requests: [{ content: CONTENT }] },
  },
}

const PLACE = '{model}'

/** The same call again, with its stored body where there is one. */
export function curlOf(origin: string, model: string, endpoint: string | null = null, stored?: string): string {
  const { path, fields } = ENDPOINTS[endpoint ?? 'chat'] ?? { path: '/v1/chat/completions', fields: {} }
  const isInPath = path.includes(PLACE)
  const body = stored ?? JSON.stringify(isInPath ? fields : { model, ...fields })
  return [
    `curl ${quoted(origin + path.replace(PLACE, () => encodeURIComponent(model)))} \\`,
    '  -H "Authorization: Bearer $GATEWAY_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d ${quoted(body)}`,
  ].join('\n')
}

/** Quoted for a shell: a model's name can be any text from a caller. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
