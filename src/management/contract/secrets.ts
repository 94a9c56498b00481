import { z } from 'zod'
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
    }),
  }),
}
