/** Before tests of the editor: builds dist/, and installs n8n, and a browser where there is none. */
const { setUp } = require('../../dev/install/setUp');

module.exports = () => setUp('--host', '--browser');
