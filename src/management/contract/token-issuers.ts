import { z } from 'zod'
import { REVOCABLE_CLAIMS, TokenIssuerSettings } from '../../domain/tokens/token-issuer.ts'
import { Name, Timestamp } from './fields.ts'
import { operation } from './operation.ts'

const TokenIssuer = TokenIssuerSettings.extend({
  name: Name,
  managed_by: z.literal('config').nullable().describe('`config`: switchyard.yaml sets it'),
  created_at: Timestamp,
  updated_at: Timestamp,
})

const claim = z.enum(REVOCABLE_CLAIMS).describe('`sub`: whom the token is about, `jti`: one token, `sid`: one sign-in')
const value = z.string().min(1).max(500).describe('To the letter')
const until = Timestamp.nullable().describe('Null: for ever')

const Revocation = z.strictObject({ claim, value, created_at: Timestamp, until })

const tag = 'Token issuers'
const one = z.strictObject({ name: Name })

export const tokenIssuerOperations = {
  'token-issuers.list': operation({
    role: 'viewer',
    scope: 'gateway',
    method: 'GET',
    path: '/token-issuers',
    tag,
    summary: 'List the issuers whose tokens are accepted in place of a gateway key',
    reply: z.strictObject({ data: z.array(TokenIssuer) }),
  }),
  'token-issuers.get': operation({
    role: 'viewer',
    scope: 'gateway',
    method: 'GET',
    path: '/token-issuers/{name}',
    tag,
    summary: 'Get a token issuer',
    params: one,
    reply: TokenIssuer,
    hasVersion: true,
  }),
  'token-issuers.put': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'PUT',
    path: '/token-issuers/{name}',
    tag,
    summary: 'Set whose tokens are accepted, and as which keys; effective for the next call',
    params: one,
    body: TokenIssuerSettings,
    reply: TokenIssuer,
    mayCreate: true,
    hasVersion: true,
  }),
  'token-issuers.delete': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'DELETE',
    path: '/token-issuers/{name}',
    tag,
    summary: 'Delete a token issuer with its revocations; its tokens are refused from the next call',
    params: one,
    hasVersion: true,
  }),
  'token-issuers.revocations': operation({
    role: 'viewer',
    scope: 'gateway',
    method: 'GET',
    path: '/token-issuers/{name}/revocations',
    tag,
    summary: 'List whose tokens of an issuer are refused, newest first',
    params: one,
    reply: z.strictObject({ data: z.array(Revocation) }),
  }),
  'token-issuers.revoke': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'POST',
    path: '/token-issuers/{name}/revocations',
    tag,
    summary: 'Refuse the tokens of a subject, or one token, from the next call',
    params: one,
    body: z.strictObject({ claim: claim.default('sub'), value, until: until.default(null) }),
    reply: Revocation,
    status: 201,
  }),
  'token-issuers.accept': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'DELETE',
    path: '/token-issuers/{name}/revocations/{claim}/{value}',
    tag,
    summary: 'Take a revocation back',
    params: one.extend({ claim: z.string().max(8), value }),
  }),
}
