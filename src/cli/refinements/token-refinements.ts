import type { Refinement } from '../command.ts'

export const tokenRefinements: Readonly<Record<string, Refinement>> = {
  'token-issuers.list': {
    examples: ['switchyard token-issuers list'],
    columns: ['name', 'issuer', 'audiences', 'enabled', 'updated_at'],
  },
  'token-issuers.get': { examples: ['switchyard token-issuers get ci --json'] },
  'token-issuers.put': { examples: ['switchyard token-issuers put ci --file issuer.json'] },
  'token-issuers.delete': { examples: ['switchyard token-issuers delete ci'] },
  'token-issuers.revocations': { examples: ['switchyard token-issuers revocations ci'] },
  'token-issuers.revoke': {
    examples: [
      'switchyard token-issuers revoke ci --value SUBJECT',
      'switchyard token-issuers revoke ci --claim jti --value TOKEN_ID',
    ],
  },
  'token-issuers.accept': { examples: ['switchyard token-issuers accept ci sub SUBJECT'] },
}
