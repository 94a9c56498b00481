import { shipDeadNode } from '../app/ship-dead-node.ts'
import type { Given } from './command.ts'
import { createMoveProgress } from './move-progress.ts'

/** Delivers the spool of a gateway that will not come back. */
export async function ship({ environment, output, positionals }: Given): Promise<number> {
  const [dataDir = ''] = positionals
  const progress = createMoveProgress(output, { isTerminal: process.stderr.isTTY, now: () => performance.now() })
  const shipped = await shipDeadNode(environment, dataDir, (delivered, total) => {
    progress.begin(total)
    progress.at('spool', delivered)
  })
  progress.end()
  const { node, name, delivered, interrupted, recovered, wasStopped } = shipped
  if (output.isJson) {
    output.json({ node, name, delivered, interrupted, recovered })
    return 0
  }
  const who = name === null ? node : `${name} (${node})`
  if (delivered === 0 && interrupted === 0 && !recovered && wasStopped) {
    output.line(`${who} has nothing left to deliver.`)
    return 0
  }
  output.line(`${who}: ${delivered} records delivered, ${interrupted} calls were interrupted and are logged as such`)
  if (recovered === true) output.line('what it had leased in the shared counters is settled')
  output.line('The node counts as stopped.')
  return 0
}
