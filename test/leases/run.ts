import { measureLeases } from './leases.ts'
import { leasesText } from './report.ts'

/** All scenarios, some minutes: `npx node test/leases/run.ts`. */
process.stdout.write(leasesText(await measureLeases((text) => process.stderr.write(`${text}\n`))))
