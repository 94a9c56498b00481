import { GatewayError } from '../../domain/errors.ts'
import type { Call } from '../../http/call.ts'

/** What clients may look for beside models, and what to do instead. */
const INSTEAD: readonly (readonly [part: RegExp, words: string])[] = [
  [/(?:^|\/)cachedContents\b/, 'The gateway keeps no contents: send them with each request. Providers cache prefixes.'],
  [/(?:^|\/)files\b/, 'The gateway keeps no files: send them in the request, as inlineData.'],
  [/(?:^|\/)batch(?:es|PredictionJobs)\b/, 'The gateway offers no batches: send the calls one by one.'],
  [
    /(?:^|\/)interactions\b/,
    'The gateway does not offer interactions: send POST /v1beta/models/{model}:generateContent.',
  ],
]

/** Never with the path in it: ids may be secrets. */
export function notOffered({ params }: Pick<Call, 'params'>): GatewayError {
  const path = params['*'] ?? ''
  const [, words] = INSTEAD.find(([part]) => part.test(path)) ?? []
  return new GatewayError('not_found', words ?? 'There is nothing at this path: models are at /v1beta/models.')
}
