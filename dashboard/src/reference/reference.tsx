import '@fontsource-variable/inter/wght.css'
import '@mantine/core/styles.css'
import '../styles.css'
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { theme, variables } from '../theme.ts'
import { ReferencePage } from './reference-page.tsx'

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''
const colorScheme = localStorageColorSchemeManager({ key: 'switchyard-color-scheme' })

const root = document.getElementById('reference')
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={variables}
        colorSchemeManager={colorScheme}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <ReferencePage />
      </MantineProvider>
    </StrictMode>,
  )
}
