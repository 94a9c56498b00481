import { z } from 'zod'
import { LONGEST_NAME } from '../../domain/attribution.ts'
import { EACH, Each } from '../../domain/budgets/each.ts'
import { inWorkspace, pageOf, paging, Timestamp, Usd, WorkspaceName } from './fields.ts'
import { operation } from './operation.ts'

const tag = 'Budgets'
const Value = z.string().min(1).max(LONGEST_NAME)

export const BudgetRaise = z.strictObject({
  id: z.string(),
  workspace: WorkspaceName,
  key_id: z.string().nullable().describe('Null: of the workspace, or of a value over all its keys'),
  each: z.string().nullable().describe('Null: the budgets of the key or workspace itself'),
  value: z.string().nullable(),
  session: z.string().nullable().describe('Of an agent'),
  usd: Usd,
  created_at: Timestamp,
  until: Timestamp,
  ended_at: Timestamp.nullable().describe('Ended earlier by a person'),
  is_active: z.boolean(),
  actor: z.string(),
  reason: z.string(),
})

export const raiseOperations = {
  'raises.list': operation({
    role: 'viewer',
    scope: 'rows',
    method: 'GET',
    path: '/raises',
    tag,
    summary: 'List what adds to budgets for a while, the newest first',
    query: z.strictObject({
      workspace: WorkspaceName.optional().describe('Only of this workspace'),
      active: z.stringbool().optional().describe('Only those that count now'),
      ...paging,
    }),
    reply: pageOf(BudgetRaise),
  }),
  'raises.create': operation({
    role: 'editor',
    scope: 'workspace',
    method: 'POST',
    path: '/raises',
    tag,
    summary: 'Raise a budget for a while: the next try of a call that was refused passes',
    status: 201,
    query: z.strictObject(inWorkspace),
    body: z.strictObject({
      key: z.string().max(64).optional().describe('The id of a key; left out: the workspace itself'),
      each: Each.optional().describe(
        `Of a budget for each ${EACH.join(', ')} or tag:NAME; \`details\` of the 402 has it`,
      ),
      value: Value.optional().describe('Which one: its `value` in the 402'),
      session: Value.optional().describe('Of an agent'),
      usd: Usd.refine((usd) => /[1-9]/.test(usd), 'more than 0').describe('Added to the budget'),
      minutes: z
        .int()
        .min(1)
        .max(60 * 24 * 31)
        .default(60)
        .describe('Until it ends; what was spent by then stays spent'),
      reason: z.string().trim().min(3).max(500).describe('Why, for the audit log'),
    }),
    reply: BudgetRaise,
  }),
  'raises.end': operation({
    role: 'editor',
    scope: 'rows',
    method: 'POST',
    path: '/raises/{id}/end',
    tag,
    summary: 'End a raise before its time',
    params: z.strictObject({ id: z.string().max(64) }),
    reply: BudgetRaise,
  }),
}
