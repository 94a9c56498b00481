import { z } from 'zod'
import { Timestamp } from './fields.ts'
import { operation } from './operation.ts'

export const secretOperations = {
  'secrets.rotate': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'POST',
    path: '/secrets/rotate',
    tag: 'Secrets',
    summary: 'Encrypt every stored secret with the first key of SECRETS_KEY',
    reply: z.strictObject({
      re_encrypted: z.int(),
      already_current: z.int(),
      content_with_other_keys: z
        .int()
        .describe('Requests whose stored content needs another key of SECRETS_KEY: content is not re-encrypted'),
      content_until: Timestamp.nullable().describe('When the last of it expires: keep the other keys until then'),
    }),
  }),
}
