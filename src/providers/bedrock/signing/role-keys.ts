import { z } from 'zod'
import { looseJson } from '../../../domain/request/loose-json.ts'
import type { Token } from '../../authorization.ts'

const Answer = z.object({
  AccessKeyId: z.string().min(1),
  SecretAccessKey: z.string().min(1),
  Token: z.string().min(1),
  Expiration: z.iso.datetime({ offset: true }),
})

/** The keys of a role, as containers and machines are given them. Null: there are none in it. */
export function tokenIn(text: string): Token | null {
  const answer = Answer.safeParse(looseJson(text))
  if (!answer.success) return null
  const { AccessKeyId, SecretAccessKey, Token: session, Expiration } = answer.data
  return {
    values: { access_key_id: AccessKeyId, secret_access_key: SecretAccessKey, session_token: session },
    expiresAt: Date.parse(Expiration),
  }
}
