//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// images says how images are made of installed programs, because no registry can be asked for those of
// Docker Hub. Both have the programs that their health checks call.
var images = map[string]struct {
	programs []string
	files    string // a script that makes more files
	command  string // as in a Dockerfile
}{
	"nginx": {[]string{"nginx", "wget"}, nginxFiles, `["nginx", "-e", "stderr", "-g", "daemon off;"]`},
	"redis": {[]string{"redis-server", "nc"}, "install -d -m 1777 data tmp", `["redis-server"]`},
}

// nginxFiles configures nginx as the image on Docker Hub does.
const nginxFiles = `install -d -m 1777 run tmp var/cache/nginx
mkdir -p etc/nginx
cat >etc/nginx/nginx.conf <<'END'
pid /run/nginx.pid;
error_log stderr notice;
events { worker_connections 1024; }
http {
  client_body_temp_path /var/cache/nginx/client_temp;
  proxy_temp_path /var/cache/nginx/proxy_temp;
  fastcgi_temp_path /var/cache/nginx/fastcgi_temp;
  uwsgi_temp_path /var/cache/nginx/uwsgi_temp;
  scgi_temp_path /var/cache/nginx/scgi_temp;
  access_log off;
  include /etc/nginx/conf.d/*.conf;
}
END`

// makeImage makes the image NAME, with COMMAND, of FILES and of programs with their libraries. It works in a FOLDER.
const makeImage = `folder=$1 name=$2 command=$3 files=$4
shift 4
umask 022
rm -rf "$folder/root"
mkdir "$folder/root"
cd "$folder/root"
eval "$files"
for program; do
  libraries=$(ldd "$program" | grep -o '/[^ ]*')
  cp -L --parents "$program" $libraries .
done
tar -cf ../files.tar .
"$engine" import --change "ENV PATH=/usr/bin:/usr/sbin:/bin:/sbin" --change "CMD $command" ../files.tar "$name"`

// loadProgram loads the image FILE of catalog under two names. It adds a CERTIFICATE, as those do
// whose origin has a certificate of their own.
const loadProgram = `file=$1 certificate=$2
shift 2
loaded=$("$engine" load --input "$file" | sed -n 's/^Loaded image[^:]*: //p' | head -n 1)
"$engine" create --name made "$loaded"
chmod 644 "$certificate" # its readers are other users
"$engine" cp "$certificate" made:/etc/ssl/certs/origin.pem
for name; do "$engine" commit made "$name"; done
"$engine" rm made`

// shippedImage matches the images that compose.yaml names.
var shippedImage = regexp.MustCompile(`(?m)^ +image: (\S+/(\w+)):(\S+)`)

// newTag is that of the program that replaces the one that deploy/ names.
const newTag = "next"

// give gives the engine the images that compose.yaml names.
func (s *stack) give(ctx context.Context) error {
	text, err := os.ReadFile(filepath.Join(s.dir, "compose.yaml"))
	for _, m := range shippedImage.FindAllStringSubmatch(string(text), -1) {
		name, kind, tag := m[1], m[2], m[3]
		image, known := images[kind]
		args := []string{s.engine.dir, name + ":" + tag, image.command, image.files}
		for _, program := range image.programs {
			at, missing := find(program)
			if args = append(args, at); err == nil {
				err = missing
			}
		}
		switch {
		case err != nil:
		case kind == "catalog":
			s.oldTag = tag
			_, err = s.shell(ctx, loadProgram, s.image, s.origin.certificate, name+":"+tag, name+":"+newTag)
		case !known:
			err = fmt.Errorf("compose.yaml has the image %s: say in images.go how it is made", name)
		default:
			_, err = s.shell(ctx, makeImage, args...)
		}
	}
	return err
}
