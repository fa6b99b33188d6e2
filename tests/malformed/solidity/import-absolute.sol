contract A {}
import "/etc/hostname";
