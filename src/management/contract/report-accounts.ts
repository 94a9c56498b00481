import { z } from 'zod'
import { Name } from './fields.ts'
import { operation } from './operation.ts'

const ReportAccounts = z.strictObject({
  data: z.array(
    z.strictObject({
      provider: z.string().describe('That the reports were imported for'),
      account: z.string().describe('As they write it'),
      owner: z.string().describe('The provider of this gateway that has the key'),
    }),
  ),
})

const tag = 'Reconciliation'

export const reportAccountOperations = {
  'report-accounts.list': operation({
    role: 'viewer',
    scope: 'gateway',
    method: 'GET',
    path: '/report-accounts',
    tag,
    summary: 'List which keys, projects or workspaces in reports belong to which provider',
    reply: ReportAccounts,
  }),
  'report-accounts.put': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'PUT',
    path: '/report-accounts',
    tag,
    summary: 'Say which provider has a key, project or workspace that reports name',
    body: z.strictObject({
      provider: Name.describe('Provider of this gateway that the reports are imported for'),
      account: z.string().min(1).max(200).describe('Key, project or workspace, as the reports write it'),
      owner: Name.nullable().describe('Provider of this gateway that has the key; null: take it back'),
    }),
    reply: ReportAccounts,
  }),
}
