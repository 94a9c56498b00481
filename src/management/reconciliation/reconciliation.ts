import { signedUsd } from '../../domain/pricing/price.ts'
import type { ForeignAccount } from '../../reconcile/accounts.ts'
import { unmatchedPairs } from '../../reconcile/steps/quantity.ts'
import { type CauseSummary, type ProviderSummary, summarize, type Totals } from '../../reconcile/summary.ts'
import { listReportModels, putReportModel } from '../../store/control/books/reports.ts'
import { timestamp, timestampOrNull } from '../contract/fields.ts'
import type { InputOf } from '../contract/operation.ts'
import type { reconciliationOperations } from '../contract/reconciliation.ts'
import { changeBeside, type ManagementDeps } from '../deps.ts'
import { untilCaughtUp } from '../requests/request-filters.ts'
import type { HandlersOf } from '../router.ts'
import { type Compared, compareMonth } from './compare.ts'
import { comparisonCsv } from './comparison-csv.ts'
import { correctCells, type OpenOfCells, openOfCells } from './correct-cell.ts'
import { reportHandlers } from './imports.ts'

export function reconciliationHandlers(deps: ManagementDeps): HandlersOf<typeof reconciliationOperations> {
  return {
    ...reportHandlers(deps),
    'reconciliation.get': ({ query }, { now }) => comparison(deps, query, now),
    async 'reconciliation.export'({ query }, { now }) {
      return { mediaType: 'text/csv', pieces: one(comparisonCsv(await comparison(deps, query, now))) }
    },
    'reconciliation.correct': ({ body }, context) => correctCells(deps, body, context),
    'report-models.list': async () => ({ data: await listReportModels(deps.reads) }),
    'report-models.put': ({ body: { provider, report_name: name, model } }, context) =>
      changeBeside(deps, context, async (transaction) => {
        const before = (await listReportModels(transaction)).find(
          (row) => row.provider === provider && row.name === name,
        )
        await putReportModel(transaction, { provider, name, model })
        const resource = `report-models/${provider}/${name}`
        const audit = {
          ...{ action: 'report-models.put', workspace: null, resource },
          ...{ before: before ?? null, after: { provider, name, model } },
        }
        return { result: { data: await listReportModels(transaction) }, audit }
      }),
  }
}

async function* one(text: string) {
  yield text
}

async function comparison(
  deps: ManagementDeps,
  { month: asked, provider }: InputOf<(typeof reconciliationOperations)['reconciliation.get']>['query'],
  now: number,
) {
  const month = asked ?? timestamp(now).slice(0, 7)
  await untilCaughtUp(deps)
  const compared = await compareMonth(deps, { month, provider: provider ?? null, now })
  const open = await openOfCells(deps, compared)
  return {
    month,
    data: summarize(compared.attributed).map((each) => providerView(each, open)),
    foreign_accounts: compared.foreign.map(foreignView),
    proposals: proposalsOf(compared),
    deleted_before: timestampOrNull(compared.deletedBefore),
  }
}

function foreignView({ amount, tokens, requests, models, ...each }: ForeignAccount) {
  return {
    ...{ ...each, amount_usd: amount === null ? null : signedUsd(amount) },
    ...{ tokens: Number(tokens), requests: Number(requests), models: [...models] },
  }
}

function totalsView({ ours, theirs, quantity, price, unexplained }: Totals) {
  return {
    ours_usd: signedUsd(ours),
    theirs_usd: signedUsd(theirs),
    difference_usd: signedUsd(theirs - ours),
    quantity_usd: signedUsd(quantity),
    price_usd: signedUsd(price),
    unexplained_usd: signedUsd(unexplained),
  }
}

function providerView({ provider, accounts, causes, periods, cells, ...totals }: ProviderSummary, open: OpenOfCells) {
  return {
    ...{ provider, accounts: [...accounts], ...totalsView(totals), causes: causes.map(causeView) },
    periods: periods.map(({ period, settlesAt, ...of }) => ({
      ...{ period, ...totalsView(of), settles_at: timestamp(settlesAt) },
    })),
    cells: cells.map(({ period, model, accounts: keys, start, end, settlesAt, causes: own, ...of }) => ({
      ...{ period, model, accounts: [...keys], from: timestamp(start), to: timestamp(end), ...totalsView(of) },
      ...{ settles_at: timestamp(settlesAt), causes: own.map(causeView) },
      unconfirmed: open(provider, period, model),
    })),
  }
}

function causeView({ cause, amount, sentence, examples }: CauseSummary) {
  return {
    ...{ cause, amount_usd: signedUsd(amount), sentence },
    examples: examples.map(({ of, amount, facts }) => ({
      ...{ period: of.period, model: of.model, amount_usd: signedUsd(amount) },
      ...{ from: timestamp(facts.start ?? of.start), to: timestamp(facts.end ?? of.end) },
      request_ids: [...(facts.ids ?? [])],
    })),
  }
}

/** Each pair of names once, however many days have it. */
function proposalsOf({ attributed }: Compared) {
  const cells = attributed.map(({ cell }) => cell)
  const found = unmatchedPairs({ cells }).map(({ ours, theirs }) => ({
    provider: cells[ours]?.provider ?? '',
    name: cells[theirs]?.model ?? '',
    model: cells[ours]?.model ?? '',
  }))
  return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()]
}
