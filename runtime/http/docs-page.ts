const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
/** A value as JSON that is safe inside a script element. */
const scriptValue = (value: unknown): string =>
  JSON.stringify(value).replace(/[<\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The documentation page, without inline or third-party content, so that its Content-Security-Policy can be strict. */
export const docsPage = (title: string, directory: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" type="image/png" href="${directory}/favicon-32x32.png">
<link rel="stylesheet" href="${directory}/swagger-ui.css">
<link rel="stylesheet" href="${directory}/page.css">
</head>
<body>
<div id="docs"></div>
<noscript><p>This page needs JavaScript; the same document is at openapi.json.</p></noscript>
<script src="${directory}/swagger-ui-bundle.js"></script>
<script src="${directory}/start.js"></script>
</body>
</html>
`;

/** The script of the page; it fills in the demo key, if there is one. */
export const docsScript = (documentPath: string, demoKey: string | undefined): string => `"use strict";
const demoKey = ${scriptValue(demoKey ?? null)};
const page = SwaggerUIBundle({
  url: ${scriptValue(documentPath)},
  dom_id: "#docs",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  onComplete: () => {
    if (demoKey !== null) page.preauthorizeApiKey("bearer", demoKey);
  },
});
`;

/** Styles that fit the page to the width of a phone. */
export const docsStyle = `body { margin: 0; }
.swagger-ui .wrapper { padding: 0 16px; box-sizing: border-box; max-width: 1200px; }
.swagger-ui .opblock .opblock-summary-path { word-break: break-word; }
@media (max-width: 640px) {
  .swagger-ui .wrapper { padding: 0 8px; }
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-path { max-width: 100%; font-size: 13px; }
  .swagger-ui .opblock .opblock-summary-description { display: none; }
  .swagger-ui table, .swagger-ui pre, .swagger-ui .table-container { display: block; overflow-x: auto; max-width: 100%; }
  .swagger-ui .parameters-col_description input, .swagger-ui .parameters-col_description select { max-width: 100%; min-width: 0; width: 100%; }
  .swagger-ui .scheme-container .schemes { flex-wrap: wrap; }
}
`;
