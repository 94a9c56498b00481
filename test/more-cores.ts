import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'

/** Imported first, or preloaded: the gateway may be started with more threads than this machine has cores. */
Object.assign(os, { availableParallelism: () => 16 })
syncBuiltinESMExports()
