import { Box } from '@mantine/core'
import classes from './code-block.module.css'
import { CopyAction } from './copy.tsx'

/** Text to paste elsewhere, as it is. Long lines scroll, and the keyboard reaches them. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <Box className={classes['frame'] ?? ''}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className={classes['code']} tabIndex={0} aria-label={label}>
        <pre>{code}</pre>
      </section>
      <Box className={classes['copy'] ?? ''}>
        <CopyAction value={code}>Copy</CopyAction>
      </Box>
    </Box>
  )
}
