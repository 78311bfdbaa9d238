/** The document. Addresses are relative, so that it works behind a path of a proxy too. */
export function pageMarkup({ style, script }: { readonly style: string; readonly script: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Inference coordinator</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<header>
  <h1>Inference coordinator</h1>
  <span id="build" class="quiet"></span>
  <nav><a href="metrics">metrics</a><a href="admin/config">config</a><a href="admin/pipeline">pipeline</a></nav>
  <span id="live" role="status">connecting</span>
</header>
<form id="token" hidden>
  <label for="token-field">Admin token</label>
  <input id="token-field" type="password" autocomplete="off" required>
  <button>Use it</button>
  <span class="quiet">kept in this tab only</span>
</form>
<main>
  <section id="tiles" aria-label="Now">
    ${tile('in-flight', 'In flight', 'requests now')}
    ${tile('rate', 'Requests', 'a second')}
    ${tile('errors', 'Errors', 'of the last minute')}
    ${tile('misses', '412 rate', 'of probes, last minute')}
    ${tile('width', 'Fan-out width', 'encode calls, last minute')}
    <article class="tile" id="readiness"><h2>Readiness</h2><p class="figure"></p><ul></ul></article>
    <article id="queues" hidden>
      <h2>Queues</h2>
      <table>
        <thead><tr><td></td><th scope="col">waiting</th><th scope="col">next one for</th><th scope="col">its time left</th>
          <th scope="col">held</th><th scope="col">to be retried</th><th scope="col">dead letters</th></tr></thead>
        <tbody id="queue-rows"></tbody>
      </table>
    </article>
  </section>
  <section id="opened" aria-label="Request" hidden></section>
  <section id="requests" aria-label="Requests">
    <div id="controls">
      <h2>Requests</h2>
      <label>Show <select id="view">
        <option value="latest">latest</option>
        <option value="slowest">slowest to first token</option>
        <option value="failed">failed</option>
      </select></label>
      <label>Scale <select id="scale">
        <option value="first">to first token</option>
        <option value="whole">whole request</option>
        <option value="same">same for all</option>
      </select></label>
      <label><input id="hold" type="checkbox"> hold</label>
      <span id="legend" class="legend"></span>
    </div>
    <div class="columns" aria-hidden="true">
      <span class="time">began</span><span class="what">model, id</span><span class="how">outcome</span>
      <span class="first">first token</span><span class="total">in all</span><span>calls</span>
    </div>
    <ol id="rows"></ol>
    <p id="empty" class="quiet">No request yet.</p>
  </section>
</main>
<script>${script}</script>
</body>
</html>
`;
}

function tile(id: string, heading: string, unit: string): string {
  return (
    `<article class="tile" id="${id}"><h2>${heading}</h2>` +
    `<p class="figure">–</p><p class="unit">${unit}</p><svg aria-hidden="true" viewBox="0 0 120 28" preserveAspectRatio="none"></svg>` +
    `<p class="since"></p></article>`
  );
}
