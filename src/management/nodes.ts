import { coversWorkspace } from '../domain/access.ts'
import { GatewayError } from '../domain/errors.ts'
import { exactUsd } from '../domain/pricing/price.ts'
import { forgetNode, listNodes, type Node } from '../store/control/nodes.ts'
import { timestamp } from './contract/fields.ts'
import type { nodeOperations } from './contract/nodes.ts'
import { changeBeside, type ManagementDeps } from './deps.ts'
import type { HandlersOf } from './router.ts'
import { scopeNames } from './scope-names.ts'

export function nodeHandlers(deps: ManagementDeps): HandlersOf<typeof nodeOperations> {
  /** What this one knows of itself is newer than what it last wrote; an embedded one writes nothing. */
  async function known(): Promise<Node[]> {
    const own = deps.node()
    const others = deps.isEmbedded ? [] : await listNodes(deps.db)
    return [own, ...others.filter(({ node }) => node !== own.node)].sort(byName)
  }
  return {
    async 'nodes.list'(_input, { access }) {
      const workspaceOf = scopeNames(deps.snapshot())
      const leases = (await deps.leases()).map(({ scopes, ...node }) => ({
        ...node,
        scopes: scopes.filter(({ scope }) => coversWorkspace(access, workspaceOf(scope).workspace)),
      }))
      return { data: (await known()).map((node) => toNodeView(node, leases)), next_cursor: null }
    },
    async 'nodes.forget'({ params: { id } }, context) {
      const node = (await known()).find((candidate) => candidate.node === id)
      if (node === undefined) throw new GatewayError('not_found', `There is no node with the id '${id}'.`)
      if (node.isAlive) {
        throw new GatewayError('conflict', `The node '${node.name}' is running. Stop it first.`)
      }
      await deps.closeCallsOf(id)
      await changeBeside(deps, context, async (transaction) => {
        const isForgotten = await forgetNode(transaction, id)
        const before = toNodeView(node, [])
        const audit = { action: 'nodes.forget', workspace: null, resource: `nodes/${id}`, before, after: null }
        return { result: undefined, audit: isForgotten ? audit : null }
      })
    },
  }
}

function byName(a: Node, b: Node): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : a.node < b.node ? -1 : 1
}

function toNodeView(
  { node, name, state, isAlive, version, startedAt, seenAt, lagRows }: Node,
  leases: Awaited<ReturnType<ManagementDeps['leases']>>,
) {
  const own = leases.find((each) => each.node === node)?.scopes ?? []
  return {
    id: node,
    name,
    state,
    alive: isAlive,
    version,
    started_at: timestamp(startedAt),
    seen_at: timestamp(seenAt),
    lag_rows: lagRows,
    leases: own.flatMap(({ scope, picodollars }) =>
      picodollars === 0n ? [] : [{ scope: scope.kind, id: scope.id, leased_usd: exactUsd(picodollars) }],
    ),
  }
}
