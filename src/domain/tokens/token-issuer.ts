import { z } from 'zod'
import { baseUrlProblem } from '../base-url.ts'
import { isSecureUrl } from './secure-url.ts'
import { TokenRule } from './token-rules.ts'

/** Asymmetric ones only: with a shared secret, every program that checks tokens could make them. */
export const TOKEN_ALGORITHMS = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA'] as const),
] as const

/** An address that is asked for keys. */
const KeyAddress = z
  .string()
  .max(500)
  .refine(isSecureUrl, 'an https:// address; http:// on this machine only')
  .superRefine((text, context) => {
    const problem = URL.canParse(text) ? baseUrlProblem(text) : null
    if (problem !== null) context.addIssue(problem)
  })

export const MOST_KEYS = 64

/** A public key. What is private, or shared, has no place in a public list. */
const PublicKey = z
  .looseObject({ kty: z.enum(['RSA', 'EC', 'OKP']), kid: z.string().max(200).optional() })
  .refine((key) => !['d', 'p', 'q', 'k', 'oth'].some((name) => Object.hasOwn(key, name)), 'public keys only')

export const KeySet = z.looseObject({ keys: z.array(PublicKey).min(1).max(MOST_KEYS) })
export type KeySet = z.infer<typeof KeySet>

const audience = z.string().min(1).max(500)

/** Whose tokens are accepted in place of a gateway key, and as which key. */
export const TokenIssuerSettings = z.strictObject({
  issuer: KeyAddress.describe('The claim `iss`, to the letter'),
  audiences: z
    .array(audience)
    .min(1, "name your own audience: a token's default one is shared with other programs")
    .max(20)
    .describe('`aud` must have one of them'),
  clients: z
    .array(audience)
    .min(1)
    .max(50)
    .nullable()
    .default(null)
    .describe('`azp` or `client_id` must be one of them; null: any, for tokens whose every audience is listed'),
  algorithms: z
    .array(z.enum(TOKEN_ALGORITHMS))
    .min(1)
    .max(TOKEN_ALGORITHMS.length)
    .default(['RS256', 'PS256', 'ES256', 'EdDSA']),
  jwks_url: KeyAddress.nullable().default(null).describe('Where its keys are; null: as its discovery document says'),
  jwks: KeySet.nullable().default(null).describe('Its keys themselves, where they cannot be fetched'),
  max_token_seconds: z
    .int()
    .min(60)
    .max(7 * 86_400)
    .default(86_400)
    .describe('Tokens that live longer are refused'),
  rules: z.array(TokenRule).max(100).describe('The first one that matches counts; without a match: 403'),
  enabled: z.boolean().default(true),
})
export type TokenIssuerSettings = z.infer<typeof TokenIssuerSettings>

/** What a revocation names. */
export const REVOCABLE_CLAIMS = ['sub', 'jti', 'sid'] as const
export type RevocableClaim = (typeof REVOCABLE_CLAIMS)[number]

/** As calls need it. */
export interface TokenIssuer extends TokenIssuerSettings {
  name: string
  /** The settings as stored: what was verified under others is verified again. */
  source: string
  /** Until when (Unix milliseconds; null: for ever), by `revocationKey`. */
  revoked: ReadonlyMap<string, number | null>
}

export function revocationKey(claim: string, value: string): string {
  return `${claim} ${value}`
}
