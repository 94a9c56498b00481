/** The whole run is being rebuilt; until then the part that matters most. */
await import('./hop.ts')
