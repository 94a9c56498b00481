import { buildDashboard } from './build-dashboard.ts'
import { buildServer } from './build-server.ts'

/** Builds what `npm start`, the npm package and the image run, if it is missing or older than its sources. */
await buildServer({ force: process.argv.includes('--force') })
await buildDashboard({ force: false })
