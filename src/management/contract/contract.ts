import type { z } from 'zod'
import { adminKeyOperations } from './admin-keys.ts'
import { alertOperations } from './alerts.ts'
import { auditOperations } from './audit.ts'
import { budgetOperations } from './budgets.ts'
import { catalogOperations } from './catalog.ts'
import { configOperations } from './config.ts'
import { correctionOperations } from './corrections.ts'
import { explainOperations } from './explain.ts'
import { keyOperations } from './keys.ts'
import { loopOperations } from './loops.ts'
import { monthOperations } from './months.ts'
import { myKeyOperations } from './my-keys.ts'
import { nodeOperations } from './nodes.ts'
import { peopleOperations } from './people.ts'
import { performanceOperations } from './performance.ts'
import { playgroundOperations } from './playground.ts'
import { providerOperations } from './providers.ts'
import { raiseOperations } from './raises.ts'
import { reconciliationOperations } from './reconciliation.ts'
import { registryOperations } from './registry.ts'
import { reportAccountOperations } from './report-accounts.ts'
import { requestOperations } from './requests.ts'
import { routeOperations } from './routes.ts'
import { secretOperations } from './secrets.ts'
import { sessionOperations } from './sessions.ts'
import { statusOperations } from './status.ts'
import { tokenIssuerOperations } from './token-issuers.ts'
import { usageOperations } from './usage.ts'
import { workspaceOperations } from './workspaces.ts'

/** Every operation of the management API. */
export const CONTRACT = {
  ...workspaceOperations,
  ...keyOperations,
  ...adminKeyOperations,
  ...sessionOperations,
  ...peopleOperations,
  ...tokenIssuerOperations,
  ...myKeyOperations,
  ...routeOperations,
  ...explainOperations,
  ...providerOperations,
  ...secretOperations,
  ...registryOperations,
  ...catalogOperations,
  ...configOperations,
  ...requestOperations,
  ...usageOperations,
  ...loopOperations,
  ...performanceOperations,
  ...budgetOperations,
  ...correctionOperations,
  ...raiseOperations,
  ...reconciliationOperations,
  ...reportAccountOperations,
  ...monthOperations,
  ...alertOperations,
  ...auditOperations,
  ...statusOperations,
  ...nodeOperations,
  ...playgroundOperations,
}

export type Contract = typeof CONTRACT
/** The answer of an operation. */
export type ReplyOf<Name extends keyof Contract> = z.output<Contract[Name]['reply']>
