import { z } from 'zod'
import { looseJson } from '../../../domain/request/loose-json.ts'
import { AuthorizationError, type Token } from '../../authorization.ts'

/** Numbers come as texts, too. */
const Seconds = z.coerce.number().positive()
const Granted = z.looseObject({
  access_token: z.string().min(1),
  expires_in: Seconds.optional().catch(undefined),
  expires_on: Seconds.optional().catch(undefined),
})
const Refused = z.looseObject({ error: z.string(), error_description: z.string().optional() })

/** What Entra's error codes mean for an operator. */
const CAUSES: [code: RegExp, words: string][] = [
  [/AADSTS7000215/, 'the client secret is wrong: it is the value of the secret that counts, not its id'],
  [/AADSTS7000222/, 'the client secret has expired: make a new one'],
  [/AADSTS700016/, 'the tenant has no application with this client_id'],
  [/AADSTS(90002|900023)/, 'there is no such tenant: check tenant_id'],
  [/AADSTS(500011|70011|1002012)/, 'the scope is wrong: check token_scope'],
  [/AADSTS(53003|50105)/, 'a policy of the tenant does not let it in'],
  [/Identity not found/i, 'the machine has no such identity: assign one, or check client_id'],
]

/** Throws an `AuthorizationError`; what it says holds no secret, and nothing that was sent. */
export function readToken(status: number, text: string, now: number): Token {
  const body = looseJson(text)
  const granted = Granted.safeParse(body)
  if (status === 200 && granted.success) {
    const { access_token, expires_in: left, expires_on: end } = granted.data
    const expiresAt = left !== undefined ? now + left * 1000 : end !== undefined ? end * 1000 : null
    return { values: { access_token }, expiresAt }
  }
  const refused = Refused.safeParse(body)
  const description = refused.success ? `${refused.data.error} ${refused.data.error_description ?? ''}` : ''
  const [, words] = CAUSES.find(([code]) => code.test(description)) ?? []
  const [code] = /AADSTS\d+/.exec(description) ?? []
  const what = words ?? (refused.success ? `it says ${refused.data.error.slice(0, 60)}` : 'its answer cannot be read')
  throw new AuthorizationError(`No token was given (HTTP ${status}${code === undefined ? '' : `, ${code}`}): ${what}.`)
}
