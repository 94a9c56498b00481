import type { Kysely } from 'kysely'
import { GatewayError } from '../../domain/errors.ts'
import { hasLinesOf, listReportAccounts, putReportAccount } from '../../store/control/books/report-accounts.ts'
import type { Database } from '../../store/engine/schema.ts'
import type { reportAccountOperations } from '../contract/report-accounts.ts'
import { changeBeside, type ManagementDeps } from '../deps.ts'
import type { HandlersOf } from '../router.ts'

export function reportAccountHandlers(deps: ManagementDeps): HandlersOf<typeof reportAccountOperations> {
  return {
    'report-accounts.list': async () => ({ data: await listReportAccounts(deps.reads) }),
    'report-accounts.put': ({ body }, context) => {
      const { provider, account, owner } = body
      for (const [field, name] of Object.entries({ provider, owner })) {
        if (name === null || deps.snapshot().providers.has(name)) continue
        throw new GatewayError('invalid_request', `${field}: there is no provider '${name}'.`)
      }
      return changeBeside(deps, context, async (transaction) => {
        if (owner !== null && owner !== provider && (await hasLinesOf(transaction, { provider: owner, account }))) {
          throw new GatewayError(
            'conflict',
            `account: reports imported for ${owner} have lines of ${account} too, which would count twice; delete one of the two`,
          )
        }
        const known = await listReportAccounts(transaction)
        const before = known.find((row) => row.provider === provider && row.account === account)
        await putReportAccount(transaction, body)
        const audit = {
          ...{ action: 'report-accounts.put', workspace: null, resource: `report-accounts/${provider}/${account}` },
          ...{ before: before ?? null, after: body },
        }
        return { result: { data: await listReportAccounts(transaction) }, audit }
      })
    },
  }
}

/** The lines of one key would count twice if the reports of two providers had them. */
export async function refuseTwice(
  db: Kysely<Database>,
  provider: string,
  lines: readonly { account: string | null }[],
): Promise<void> {
  const accounts = new Set(lines.map(({ account }) => account))
  const other = (await listReportAccounts(db)).find(
    (row) => row.owner === provider && row.provider !== provider && accounts.has(row.account),
  )
  if (other === undefined) return
  throw new GatewayError(
    'conflict',
    `${other.account}: its lines are taken from reports of ${other.provider} (report-accounts); import this one for ${other.provider}`,
  )
}
